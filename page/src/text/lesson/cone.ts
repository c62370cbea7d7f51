import { said } from './said';

export const cone = said(
  {
    title: 'The narrow cone, and its repairs',
    words: [
      'In many tables all rows lean the same way, as if a common arrow had been added to each. Then every cosine is large and says little. First the toy: lengthen the common arrow and watch the mean cosine.',
      'The repair: subtract the mean (centring). Some remove the widest directions too. Slide through the repairs of the real table.',
    ],
    ask: 'You add the same long arrow to every row. What happens to the cosines?',
    options: ['they all move towards 1', 'they do not change', 'they all move towards 0'],
    means:
      'A cosine has no fixed scale: 0.4 can be close in one table and ordinary in another. Compare it with random pairs of the same table. A repair is worth its gain on a task, never just a rounder cloud.',
    curious: [
      'The mean cosine of all pairs needs only the sum of the unit rows: no pair has to be visited.',
      'Centring subtracts the mean row. All-but-the-top also takes off what lies along the D widest directions v (Mu & Viswanath 2018).',
    ],
    live: {
      common: 'Length of the common arrow',
      toyMean: 'mean cosine in the toy',
      plane: (mean: string) => `Twenty-four arrows leaning along a common one; their mean cosine is ${mean}`,
      real: 'On the real table',
      repair: 'Repair',
      raw: 'none (raw)',
      centre: 'centred',
      top: (n: string) => `centred, ${n} widest removed`,
      mean: 'mean cosine of random pairs',
      sd: 'spread (sd)',
      pair: 'pair',
      above: (z: string) => `${z} sd above the mean`,
      below: (z: string) => `${z} sd below the mean`,
      sample: (n: string) => `mean and spread over all pairs of ${n} rows drawn with seed 0`,
      told: 'They all move towards 1.',
    },
  },
  {
    title: '一把窄伞，以及怎么修',
    words: [
      '不少表里，所有的行都朝一边歪，好像每支箭都加上了同一支公共的箭。于是个个余弦都大，也就说明不了什么。先玩小模型：把公共箭拉长，看平均余弦。',
      '修法：减去平均（中心化）；有人再削掉最宽的几个方向。拉动滑块，看真表修前修后。',
    ],
    ask: '给每一行都加上同一支长箭，余弦会怎样？',
    options: ['一齐往 1 靠', '不变', '一齐往 0 靠'],
    means: '余弦没有通用的刻度：0.4 在这张表里算近，在那张表里很平常。要跟同一张表的随机对比。修得值不值，看任务上有没有长进，不看云圆不圆。',
    curious: ['全体平均余弦只用到单位行之和，一对也不必去碰。', '中心化减去平均行；“削顶”再去掉沿最宽 D 个方向 v 的部分（Mu 与 Viswanath 2018）。'],
    live: {
      common: '公共箭的长度',
      toyMean: '小模型的平均余弦',
      plane: (mean) => `二十四支箭顺着一支公共的箭歪着，平均余弦 ${mean}`,
      real: '在真表上',
      repair: '修法',
      raw: '不修（原始）',
      centre: '中心化',
      top: (n) => `中心化，再削 ${n} 个最宽方向`,
      mean: '随机对的平均余弦',
      sd: '起伏（标准差）',
      pair: '词对',
      above: (z) => `高出均值 ${z} 个标准差`,
      below: (z) => `低于均值 ${z} 个标准差`,
      sample: (n) => `以种子 0 抽 ${n} 行，取其全部对的均值与起伏`,
      told: '一齐往 1 靠。',
    },
  },
);
