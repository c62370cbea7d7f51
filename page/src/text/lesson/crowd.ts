import { said } from './said';

export const crowd = said(
  {
    title: 'Room for a vocabulary, and how a real one uses it',
    words: [
      'V rows cannot all be perpendicular in d < V dimensions. Welch’s bound says how small the largest cosine can be at best; a set of unit vectors is called a code; rows drawn at random (a random code) scatter around 0 by 1/√d.',
      'Now the real table. Most of its pairs may well lie like the grey curve. What gives it away is the nearest row: compare it with what a random code of this size would have.',
    ],
    ask: 'How large is the cosine of a word with its nearest row, on average over our example words?',
    options: [],
    means:
      'A real table is no ideal code and should not be: spellings of one word, and words that can stand in for each other, lie close, so that whatever reads the rows can treat them alike. The space has room to keep everything apart; training chose not to.',
    curious: [
      'For two independent random directions: mean 0 and standard deviation 1/√d.',
      'Among V unit vectors in d dimensions some pair has at least this |cosine|. It follows from the d eigenvalues of the matrix of all products.',
    ],
    live: {
      d: 'If the same rows had d =',
      sd: 'spread of the cosine, 1/√d',
      welch: 'Welch’s bound on the largest cosine',
      table: 'this table: mean ± spread of the cosine',
      title: (mean: string, sd: string, random: string) => `Random pairs of this table: cosine ${mean} ± ${sd}; a random code: 0 ± ${random}`,
      x: 'cosine of two random rows',
      y: 'density',
      measured: 'this table',
      random: 'random code',
      caption: (pairs: string, rows: string) => `${pairs} seeded pairs among ${rows} rows; the null is a normal curve of the spread 1/√d.`,
      nearest: 'nearest row of each example word',
      byChance: 'random code (median)',
      told: (value: string, chance: string) => `${value} on average; in a random code of this size it would be ${chance}.`,
    },
  },
  {
    title: '词典装得下，真表却没有摆匀',
    words: [
      'V 行放进 d 维（V 比 d 大），不可能两两垂直。Welch 下界说的是：摆得再好，最大的余弦也小不过这个数。一组单位向量叫一个“码”；随手抽的叫随机码，余弦围着 0 起伏，标准差 1/√d。',
      '再看真表。大多数的对，可能就落在灰线上；露出真相的是最近的那一行：随手抽同样多的行，最近的会有多近？真表又有多近？',
    ],
    ask: '一个例词和离它最近的那一行，余弦平均有多大？',
    options: [],
    means: '真表不是理想的码，也不该是：能互相替换的词挨在一起，后面的计算才好把它们当同一类看。空间本可以把谁都隔开，训练没有这么做。',
    curious: ['两个独立的随机方向：平均为 0，标准差 1/√d。', 'd 维里的 V 个单位向量，总有一对的 |余弦| 不小于右边。由全体两两之积排成的表只有 d 个不为零的特征值推出。'],
    live: {
      d: '假如同样多的行放在 d =',
      sd: '余弦的标准差 1/√d',
      welch: '最大余弦的 Welch 下界',
      table: '本表：余弦的均值 ± 标准差',
      title: (mean, sd, random) => `本表随机两行的余弦 ${mean} ± ${sd}；随机码为 0 ± ${random}`,
      x: '随机两行的余弦',
      y: '密度',
      measured: '本表',
      random: '随机码',
      caption: (pairs, rows) => `在 ${rows} 行中抽 ${pairs} 对（每次打开都抽同样的）；对照是标准差 1/√d 的正态曲线。`,
      nearest: '各例词的最近行',
      byChance: '随机码（中位数）',
      told: (value, chance) => `平均 ${value}；同样大小的随机码里是 ${chance}。`,
    },
  },
);
