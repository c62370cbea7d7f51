import { said } from './said';

export const length = said(
  {
    title: 'Direction against length',
    words: [
      'Real rows differ in length. So the list of nearest words depends on the question: the cosine asks for direction, the dot product for direction times length, and long rows crowd its list.',
      'Choose a word. Then stretch one of its nearest rows: its place by dot product moves, its cosine stays.',
    ],
    ask: 'Of this word’s ten nearest by cosine, how many are also among its ten largest dot products?',
    options: [],
    means:
      'Cosine and dot product agree only when all rows are equally long. Length is no noise: it often goes with how frequent a token is, in some tables upwards, in others downwards. Which of the two to use depends on what the numbers are for.',
    curious: [
      'Stretching by λ stretches the product by λ; the cosine divides λ out again.',
      'For unit rows distance and cosine are the same order, told two ways: two identical rows have distance 0, opposite ones 2.',
    ],
    live: {
      word: 'Word',
      byCosine: 'nearest by cosine',
      byDot: 'largest dot products',
      stretch: 'Stretch',
      rank: 'its place by dot product',
      beyond: (n: string) => `beyond ${n}`,
      cosine: 'its cosine',
      shared: 'in both lists',
      of: (n: string) => `${n} of 10`,
      told: (word: string, n: string) => `For ${word}, ${n} of 10 are in both lists.`,
      target: 'Row to stretch',
      both: 'Brass: in both lists. Blue: the row that is stretched. Grey: in one list only.',
      mixed: '',
    },
  },
  {
    title: '方向与长短',
    words: [
      '真表里的行有长有短，于是“谁最近”要看怎么问：余弦只问方向；点积问的是方向乘长短，长的行容易挤进来。',
      '选一个词，再把它的某个近邻拉长或压短：它在点积名单里会挪位置，余弦不动。',
    ],
    ask: '按余弦最近的十个词元里，有几个也在点积最大的前十名？',
    options: [],
    means: '所有的行一样长时，两种问法才一致。长短也不是杂质：它往往跟词元常不常见有关，有的表里越常见越长，有的表里越常见越短。用哪一种问法，要看拿来做什么。',
    curious: ['a 拉长 λ 倍，点积也乘 λ；余弦又把 λ 除掉了。', 'u、v 是长度都缩到 1 的两行（单位向量）：这时距离和余弦排出同一个次序，完全重合距离为 0，完全相反距离为 2。'],
    live: {
      word: '词',
      byCosine: '余弦最近',
      byDot: '点积最大',
      stretch: '伸缩',
      rank: '它的点积名次',
      beyond: (n) => `${n} 名以外`,
      cosine: '它的余弦',
      shared: '原来两份名单都有',
      of: (n) => `10 个里 ${n} 个`,
      told: (word, n) => `“${word}”：10 个里有 ${n} 个。`,
      target: '要伸缩的行',
      both: '铜色：两份名单都有；蓝色：正在伸缩的行；灰色：只在一份里。',
      mixed: '一张表里常有好几种语言：用法相近的外文词，也会是近邻。',
    },
  },
);
