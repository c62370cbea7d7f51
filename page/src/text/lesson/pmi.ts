import { said } from './said';

export const pmi = said(
  {
    title: 'What word2vec counts without counting',
    words: [
      'Word2vec keeps two rows per word: w when the word is in the middle, c when it is context. Levy and Goldberg showed where it is heading: w·c is to become the PMI of the pair, less a constant. PMI (pointwise mutual information) says how much more often two words meet than by chance, as a logarithm. So it is a table of counts, compressed.',
      'Each point is a pair of words that stand together in the small text. Train and watch the cloud close in on the line.',
    ],
    ask: 'After training, the correlation between w·c and what the counts say will be …',
    options: ['below 0.5', 'between 0.5 and 0.8', 'above 0.8'],
    means:
      'Prediction and counting meet: what a network learns by guessing neighbours is close to a factorisation of how often words meet. Pairs that never meet have no finite target; they are pushed below.',
    curious: ['P are shares of the pairs counted in the text. PMI is 0 where two words meet just as often as if they were independent. k is the number of random words drawn against each pair.'],
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
      real: (name: string, r: string, slope: string, pairs: string) => `On ${name}: correlation ${r}, slope ${slope}, over ${pairs} pairs. Real text is long-tailed: most pairs meet only a few times, and such counts are themselves uncertain.`,
      told: (r: string) => `${r} at the end of training.`,
    },
  },
  {
    title: '没去数，却数出来了',
    words: [
      'word2vec 给每个词两行：居中时用 w，当上下文时用 c。Levy 和 Goldberg 指出它走向哪里：w·c 会变成这一对词的“点互信息”（PMI）减一个常数。点互信息说的是：两个词碰到一起，比各走各路时多多少，取对数。也就是说，它把一张计数表压缩着存了下来。',
      '图上每点是那段小文字里碰过面的一对词：横看计数，竖看训练。训练起来，看点云怎样贴向直线。',
    ],
    ask: '训练之后，训练所得的 w·c 与计数所得的 PMI，相关系数会是……',
    options: ['低于 0.5', '0.5 到 0.8', '高于 0.8'],
    means: '“猜邻居”和“数碰面”殊途同归：靠猜学到的，近似于把碰面次数表做了矩阵分解。从没碰过面的对，PMI 是负无穷，训练只会把它们的乘积压得很低。',
    curious: ['P 是各种对在文中所占的份额。PMI 为 0，就是不多不少，碰面全凭偶然。k 是负采样的个数：每见一对真的，就随手抽 k 个词来作陪衬。'],
    live: {
      read: '读过的句子',
      correlation: '相关系数',
      slope: '斜率（理论是 1）',
      pairs: '碰过面的对数',
      never: '没碰过面的平均 w·c',
      title: (r) => `w·c 与 PMI − log k 的相关系数为 ${r}`,
      x: 'PMI − log k（由计数得）',
      y: 'w·c（由训练得）',
      seen: '碰过面的对',
      ideal: 'w·c = PMI − log k',
      real: (name, r, slope, pairs) => `在真实语料 ${name} 上：相关系数 ${r}，斜率 ${slope}，共 ${pairs} 对。真实文字里多数的对只碰面几次，这样的计数本身就拿不准，所以贴得松。`,
      told: (r) => `训练结束时是 ${r}。`,
    },
  },
);
