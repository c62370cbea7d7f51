import { said } from './said';

export const limits = said(
  {
    title: 'What this view cannot explain',
    words: [
      'Three cards: a dog, a bite, a man. Put them in any order and average their rows. The average never changes, yet the sentences do not say the same.',
      'A table knows nothing of order, of the sentence, of who did what. It shows which tokens are used alike. Why a model answers as it does also needs attention, the layers, the data. A direction that separates two lists is a correlation, until one has changed it and watched the model change.',
    ],
    ask: 'Swap the first and the last word. How does the mean of the three rows change?',
    options: ['it turns a little', 'not at all', 'it turns around'],
    means:
      'What a mean of rows cannot tell apart, no similarity of means can. Keep the question in view: this instrument measures a table. It measures neither thought nor truth.',
    curious: ['π is any reordering of the m tokens. A sum does not care about the order of its terms.'],
    live: {
      swap: (a: string, b: string) => `Swap ${a} and ${b}`,
      cosine: 'cosine of the mean before and after',
      sentence: 'the cards now read',
      left: 'to the left',
      right: 'to the right',
      told: 'Not at all: cosine 1.',
      hint: 'Move a card with its arrows, or with the arrow keys while it has the focus.',
      moves: 'moves so far',
    },
  },
  {
    title: '这里看不见的',
    words: [
      '三张卡片：猫、追、狗。随你怎么排，三行取平均，结果总一样；可“猫追狗”和“狗追猫”不是一回事。',
      '表不管次序，不管句子，不管谁对谁做了什么，只显示哪些词元用法相像。模型为什么这样答，还得看注意力、各层和数据。能把两堆词分开的方向，在有人真的动过它、并看到模型随之改变之前，只是相关。',
    ],
    ask: '把首尾两个词对调，三行的平均会怎样？',
    options: ['稍微偏一点', '丝毫不变', '掉个头'],
    means: '平均分不清的，靠平均算出来的相似度也都分不清。记住这件仪器量的是一张表；它不量思想，也不量真假。',
    curious: ['π 是 m 个词元的任意重排。加法不管先后。'],
    live: {
      swap: (a, b) => `对调“${a}”和“${b}”`,
      cosine: '重排前后平均向量的余弦',
      sentence: '现在读作',
      left: '往左',
      right: '往右',
      told: '丝毫不变，余弦是 1。',
      hint: '点卡片上的箭头移动它，或选中后按方向键。',
      moves: '挪了几步',
    },
  },
);
