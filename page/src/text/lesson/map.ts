import { said } from './said';

export const map = said(
  {
    title: 'A map is for orientation',
    words: [
      'The map of the Atlas shows each row’s shadow on the two widest directions, those along which the rows spread most. Shadows of far things can touch.',
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
      shown: 'of this row’s length² on the map',
      full: 'nearest in the full space',
      plane: 'nearest on the map, with true cosine',
      alt: (word: string, shared: string) => `The map with ${word}; ${shared} of its ten nearest on the map are also nearest in the full space`,
      told: (n: string) => `${n} of 10 for this word.`,
    },
  },
  {
    title: '地图用来认路，不用来量路',
    words: [
      '星图画的是每一行投在最宽两个方向（散得最开的两个）上的影子。隔得远的东西，影子也会挨在一起。',
      '选一个词。铜色点是它在全空间里真正最近的十行，蓝圈是纸面上最近的十行。数数有几个重合。',
    ],
    ask: '图上最近的十个里，有几个真的在最近的十个之列？',
    options: [],
    means: '地图可以认路、可以引出问题，但别在上面量距离：平面只留下一小部分方差。本页所有的邻居都在全空间里算。',
    curious: ['λ 是各主方向上的方差，从大到小；地图只留 d 个里的两个。'],
    live: {
      word: '词',
      shared: '两份都有',
      of: (a, b) => `${b} 个里 ${a} 个`,
      kept: '地图保留的方差',
      shown: '这一行长度平方落在图上的部分',
      full: '全空间里最近',
      plane: '图上最近（附真实余弦）',
      alt: (word, shared) => `标出“${word}”的星图；图上最近的十个里有 ${shared} 个在全空间也最近`,
      told: (n) => `这个词：10 个里 ${n} 个。`,
    },
  },
);
