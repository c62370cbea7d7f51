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
      'The sum often lands nearest to one of its own inputs (or a spelling of it). The honest question is how far the answer moved: its rank at t = 0 against its rank at t = 1. It may climb from far away, stand near from the start, or not come at all; one question that works shows little.',
    curious: ['u₀ is the row of the base word, u₊ of the one added, u₋ of the one taken away, each scaled to length 1. t says how much of the step is taken; arg max picks the row j with the largest cosine.'],
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
    title: '加一步，减一步',
    words: [
      '如果“从男人到女人”是一个方向，国王加上它，就该走到王后；“从开到关”若是一个方向，“上”加上它，也许就走到“下”。把 t 从 0（起点本身）拉到 1（整条算式），看预想的答案在全表里排第几。',
      '这个游戏常有两处水分：算式里的三个词事先剔除；答案原本离起点就不远，却没人提。这里两样都摆出来。',
    ],
    ask: 't = 1 时，如果谁都不剔除，排第一的是谁？',
    options: ['预想的答案', '算式里的词', '别的词元'],
    means: '算出来的那一点，往往离自己的某个出发词最近。该问的是答案从第几名到了第几名：有的从十几名外爬上来，有的本来就排第一、加减之后反而落后，有的离得太远，怎么加减也到不了。一道成功的题说明不了什么。',
    curious: ['u₀ 是起点词的行，u₊ 是加上的，u₋ 是减去的，都缩到长度 1。t 决定走这一步的几成；arg max 的意思是：取余弦最大的那一行 j。'],
    live: {
      question: '题目',
      t: '走了几成，t =',
      kept: '答案的名次（谁都不剔除）',
      removed: '名次（剔除算式里的词）',
      cosine: '答案的余弦',
      parallel: '“减去→加上”与“起点→答案”两段的夹角余弦',
      first: '排在最前的',
      input: '算式里的',
      answer: '答案',
      told: (first, rank) => `第一名是 ${first}；答案排第 ${rank}。`,
    },
  },
);
