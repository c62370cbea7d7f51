import { said } from './said';

export const onehot = said(
  {
    title: 'A word as a switch',
    words: [
      'A language model works with numbers, so every token in its vocabulary needs some. (A token is a word or a piece of one.) The plainest choice: as many switches as there are tokens, all off but one. This is a one-hot vector.',
      'It tells tokens apart and nothing else. Two faults follow. The list is as long as the vocabulary. The other fault is for you to find.',
      'Beside it stands the other way: a short row of numbers per token, chosen by training. All rows together are the table. Pick two words and compare.',
    ],
    ask: 'As one-hot vectors, which pair is nearer: cat and dog, or cat and economy?',
    options: ['cat and dog', 'cat and economy', 'neither: both are equally far'],
    means:
      'The second fault: one-hot vectors cannot say that two words have anything in common; any two are √2 apart, at a right angle. Trained rows can. How well they do it is a question to measure, and the rest of this lesson measures it.',
    curious: ['e_i is all zeros with a 1 in place i. Two of them share no place, so their product is 0; their difference has one +1 and one −1, so its length is √(1 + 1).'],
    live: {
      first: 'First word',
      second: 'Second word',
      distance: 'distance, one-hot, each scaled to length 1',
      onehotCosine: 'cosine, one-hot',
      rowCosine: 'cosine of the two rows',
      rowDistance: 'distance of the two rows, each scaled to length 1',
      later: '1: same direction, 0: right angle. Step 4 draws it.',
      numbers: 'numbers per word',
      cell: (count: string) => `One cell of the strip stands for ${count} switches.`,
      against: (onehot: string, row: string) => `${onehot} switches, or ${row} numbers`,
      strip: (word: string, ids: string, rows: string) => `${word}: of ${rows} switches on: ${ids}`,
      told: 'Cosine 0 and distance 1.41 for both pairs.',
    },
  },
  {
    title: '一个词一个开关',
    words: [
      '模型只会算数。它有一本固定的词表，表里每一项叫一个词元：一个词，或词的一截，常常就是一个字。每个词元都得先变成数。最笨的办法：词表有多长，就排多少个开关，只开自己那一个，其余全关。这叫独热向量。',
      '它只会说“我是谁”。毛病有二：一是太长；另一个，请你自己找出来。',
      '另一种办法：每个词元配一小行数，数值由训练定。所有的行合起来，就是词嵌入表。挑两个比比看。',
    ],
    ask: '用独热向量来量，哪一对更近：意思相近的两个，还是意思不相干的两个？',
    options: ['相近的一对', '不相干的一对', '一样远'],
    means: '第二个毛病：任意两个独热向量都互相垂直，相距 √2，所以谈不上谁像谁。训练出来的行可以谈。谈得准不准，要靠量：后面每一步都在量。',
    curious: ['eᵢ 除了第 i 位是 1，其余全是 0。两个这样的向量没有共同的位置，乘起来是 0；相减剩下一个 +1、一个 −1，长度就是 √(1 + 1) ≈ 1.41。'],
    live: {
      first: '第一个',
      second: '第二个',
      distance: '独热距离（都缩到长度 1）',
      onehotCosine: '独热余弦',
      rowCosine: '两行的余弦',
      rowDistance: '两行的距离（都缩到长度 1）',
      later: '余弦：1 为同向，0 为垂直。第 4 步画给你看。',
      numbers: '一个词元要多少个数',
      cell: (count) => `条上一格代表 ${count} 个开关。`,
      against: (onehot, row) => `${onehot} 个开关，或 ${row} 个数`,
      strip: (word, ids, rows) => `${word}：${rows} 个开关里，开着第 ${ids} 个`,
      told: '两对的余弦都是 0，距离都是 1.41。',
    },
  },
);
