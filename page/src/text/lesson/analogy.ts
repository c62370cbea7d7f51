import { said } from './said';

export const analogy = said(
  {
    title: 'King minus man plus woman',
    words: [
      'If “from man to woman” is a direction, adding it to king should lead to queen. Slide t from 0 (king itself) to 1 (the whole sum) and watch the rank of the expected answer among all rows.',
      'Two customs flatter this game. The three input words are taken out of the race, and nobody says how near the answer was to begin with. Here both are shown.',
    ],
    ask: 'At t = 1 with nothing taken out of the race, what comes first?',
    options: ['the expected answer', 'one of the three input words', 'something else'],
    means:
      'The sum often lands nearest to one of its own inputs (or a spelling of it). The honest question is how far the answer climbed: its rank at t = 0 against its rank at t = 1.',
    curious: ['u are rows of length 1. t scales the step from the minus word to the plus word; the row with the largest cosine to the sum comes first.'],
    live: {
      question: 'Question',
      t: 'Share of the step, t =',
      kept: 'rank of the answer, nothing removed',
      removed: 'rank with the inputs removed',
      cosine: 'cosine of the answer',
      parallel: 'cosine of the two steps',
      first: 'first in the race',
      input: 'input',
      answer: 'answer',
      told: (first: string, rank: string) => `First is ${first}; the answer has rank ${rank}.`,
    },
  },
  {
    title: '国王减男加女',
    words: [
      '如果“从男到女”是一个方向，国王加上它，就该走到王后。把 t 从 0（国王本身）拉到 1（整条算式），看预想的答案在全表里排第几。',
      '这个把戏常有两处水分：算式里的三个词事先请出赛场；答案原本就离得不远，却没人提。这里两样都摆出来。',
    ],
    ask: 't = 1 时，如果谁都不请出去，排第一的是谁？',
    options: ['预想的答案', '算式里三个词之一', '别的词元'],
    means: '算出来的那一点，往往离自己的某个出发词最近。该问的是：答案从第几名爬到了第几名。',
    curious: ['u 是长度为 1 的行。t 决定从“减去的词”走向“加上的词”走多远；与这一点余弦最大的行排第一。'],
    live: {
      question: '题目',
      t: '走了多少，t =',
      kept: '答案的名次（谁都不请出）',
      removed: '名次（请出算式里的词）',
      cosine: '答案的余弦',
      parallel: '两步之间的余弦',
      first: '排在最前的',
      input: '算式里的',
      answer: '答案',
      told: (first, rank) => `第一名是 ${first}；答案排第 ${rank}。`,
    },
  },
);
