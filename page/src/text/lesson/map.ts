import { said } from './said';

export const map = said(
  {
    title: 'A map is for orientation',
    words: [
      'The map of the Atlas shows each row’s shadow on the two directions along which the rows spread most (in variance). Shadows of far things can touch.',
      'Choose a word. Brass marks are its ten nearest rows in the full space; blue rings are the ten nearest on the paper. Count how many are both.',
    ],
    ask: 'How many of the ten nearest on the map are truly among the ten nearest?',
    options: [],
    means:
      'Use a map to find your way and to ask questions. Never read a distance off it: the plane keeps only a small share of the variance. Every list of neighbours here is computed in the full space.',
    curious: ['λ are the variances along the principal directions, largest first; the map keeps two of d.'],
    live: {
      word: 'Word',
      shared: 'in both lists',
      of: (a: string, b: string) => `${a} of ${b}`,
      kept: 'variance the map keeps',
      shown: 'of this row is on the map (of its squared length)',
      full: 'nearest in the full space',
      plane: 'nearest on the map, with true cosine',
      alt: (word: string, shared: string) => `The map with ${word}; ${shared} of its ten nearest on the map are also nearest in the full space`,
      note: (rows: string) => `Grey: a sample of the rows; neighbours are sought among all ${rows}. Rings may lie on one another.`,
      told: (n: string) => `${n} of 10 for this word.`,
    },
  },
  {
    title: '星图用来认路，不用来量路',
    words: [
      '“星图”房间画的，是每一行投在散得最开的两个方向上的影子。隔得远的东西，影子也会挨在一起。',
      '选一个词。铜色点是它在全空间里真正最近的十行，蓝圈是纸面上最近的十行。看有几个重合。',
    ],
    ask: '星图上最近的十个里，有几个真的是它最近的十个邻居？',
    options: [],
    means: '星图可以认路，可以引出问题，但别在上面量距离：平面只留下一小部分方差。本页所有的邻居都在全空间里算。',
    curious: ['λ 是各主成分上的方差，从大到小；星图只留 d 个里的头两个。'],
    live: {
      word: '词',
      shared: '两份都有',
      of: (a, b) => `${b} 个里 ${a} 个`,
      kept: '星图保留的方差',
      shown: '这一行落在星图上的部分（按长度平方）',
      full: '全空间里最近',
      plane: '星图上最近（附真实余弦）',
      alt: (word, shared) => `标出“${word}”的星图；图上最近的十个里有 ${shared} 个在全空间也最近`,
      note: (rows) => `灰点只画了一部分行，邻居是在全部 ${rows} 行里找的；蓝圈可能叠在一起。`,
      told: (n) => `这个词：10 个里 ${n} 个。`,
    },
  },
);
