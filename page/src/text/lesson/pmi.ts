import { said } from './said';

export const pmi = said(
  {
    title: 'What word2vec counts without counting',
    words: [
      'Word2vec keeps two rows per word: w when the word is in the middle, c when it is context. Levy and Goldberg showed where it is heading: w·c is to become the pointwise mutual information of the pair, less a constant. That is a table of counts, compressed.',
      'Each point is a pair of words that stand together in the small text. Train and watch the cloud close in on the line.',
    ],
    ask: 'After training, the correlation between w·c and what the counts say will be …',
    options: ['below 0.5', 'between 0.5 and 0.8', 'above 0.8'],
    means:
      'Prediction and counting meet: what a network learns by guessing neighbours is close to a factorisation of how often words meet. Pairs that never meet have no finite target; they are pushed below.',
    curious: ['PMI: how much more often two words meet than if they were independent, as a logarithm; 0 means just as often. k is the number of random words drawn against each pair.'],
    live: {
      read: 'Sentences read',
      correlation: 'correlation',
      slope: 'slope (the promise: 1)',
      pairs: 'pairs that meet',
      never: 'mean w·c of pairs that never meet',
      title: (r: string) => `w·c follows PMI − log k with correlation ${r}`,
      x: 'PMI − log k, from counts',
      y: 'w·c, from training',
      seen: 'pairs that meet',
      ideal: 'w·c = PMI − log k',
      real: (name: string, r: string, slope: string, pairs: string) => `On ${name}: correlation ${r}, slope ${slope}, over ${pairs} pairs.`,
      told: (r: string) => `${r} at the end of training.`,
    },
  },
  {
    title: '没去数，却数出来了',
    words: [
      'word2vec 给每个词两行：在中间时用 w，当上下文时用 c。Levy 和 Goldberg 指出它要走向哪里：w·c 会变成这一对词的点互信息减一个常数。也就是说，它把一张计数表压扁存了下来。',
      '图上每点是小文中相遇的一对词。训练，看点云怎样贴向直线。',
    ],
    ask: '训练之后，w·c 与计数所说的相关系数会是……',
    options: ['低于 0.5', '0.5 到 0.8', '高于 0.8'],
    means: '“猜邻居”和“数相遇”殊途同归：网络靠猜学到的，近似于把相遇次数表做了分解。从不相遇的对没有有限的目标，只会被压得很低。',
    curious: ['点互信息：两个词相遇得比“各走各路”时多多少，取对数；0 就是不多不少。k 是每一对要陪抽的随机词数。'],
    live: {
      read: '读过的句子',
      correlation: '相关系数',
      slope: '斜率（理论是 1）',
      pairs: '相遇的对数',
      never: '从不相遇者的平均 w·c',
      title: (r) => `w·c 与 PMI − log k 的相关系数为 ${r}`,
      x: 'PMI − log k（由计数得）',
      y: 'w·c（由训练得）',
      seen: '相遇的对',
      ideal: 'w·c = PMI − log k',
      real: (name, r, slope, pairs) => `在 ${name} 上：相关 ${r}，斜率 ${slope}，共 ${pairs} 对。`,
      told: (r) => `训练结束时是 ${r}。`,
    },
  },
);
