import { said } from './said';

export const crowd = said(
  {
    title: 'Room for a vocabulary, and how a real one uses it',
    words: [
      'V rows cannot all be perpendicular in d < V dimensions. Welch’s bound says how small the largest cosine can be at best; rows drawn at random (a random code) scatter around 0 by 1/√d, and some pairs stray further.',
      'Now the real table. If it were an ideal code, its pairs would lie like the grey curve and no row would have a near neighbour. Look.',
    ],
    ask: 'How large is the cosine of a word with its nearest row, on average over our example words?',
    options: [],
    means:
      'A real table is no ideal code and should not be: words that can stand in for each other lie close, so that the layers above can treat them alike. The space has room to keep everything apart; training chose not to.',
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
      told: (value: string) => `${value} on average.`,
    },
  },
  {
    title: '词典装得下，真表却不匀着摆',
    words: [
      'V 行放进 d 维（d 小于 V），不可能两两垂直。Welch 的下界说：最大的余弦再好也小不过它。随机放（“随机码”）的余弦围着 0 起伏，幅度 1/√d，总有几对偏得更远。',
      '再看真表。如果它是理想的码，各对余弦应当落在灰线上，谁也没有很近的邻居。看看是不是这样。',
    ],
    ask: '一个词和它最近的那一行，余弦平均有多大？',
    options: [],
    means: '真表不是理想的码，也不该是：能互相替换的词挨在一起，上面的层才好一视同仁。空间本可以把大家都隔开，训练没有这么做。',
    curious: ['两个独立的随机方向：均值 0，标准差 1/√d。', 'd 维里的 V 个单位向量，总有一对的 |余弦| 不小于它。由全体内积矩阵只有 d 个特征值推出。'],
    live: {
      d: '假如同样多的行放在 d =',
      sd: '余弦的起伏 1/√d',
      welch: '最大余弦的 Welch 下界',
      table: '本表：余弦的均值 ± 起伏',
      title: (mean, sd, random) => `本表随机两行的余弦 ${mean} ± ${sd}；随机码为 0 ± ${random}`,
      x: '随机两行的余弦',
      y: '密度',
      measured: '本表',
      random: '随机码',
      caption: (pairs, rows) => `在 ${rows} 行中按固定种子抽 ${pairs} 对；对照是起伏为 1/√d 的正态曲线。`,
      nearest: '各例词的最近行',
      told: (value) => `平均 ${value}。`,
    },
  },
);
