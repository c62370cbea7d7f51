import { said } from './said';

export const noise = said(
  {
    title: 'From noise to structure',
    words: [
      'Before training, rows are random numbers. Word2vec (2013) moves them by one rule: make the rows of words that stand near each other in a text agree, and pull them away from words drawn at random.',
      'Nobody says which words are animals. Press Run and watch words of a kind gather. The text is small enough for this page: sentences that a few patterns make. Below, the same on real text.',
    ],
    ask: 'Before any training, what is the mean cosine (1: same direction, 0: right angle) of two words of one kind?',
    options: ['near 1', 'near 0', 'near −1'],
    means:
      'Words of one kind end up close because they stand in like company (Firth: you shall know a word by the company it keeps). The rule never saw a kind; the kinds are in the text.',
    curious: ['ℓ is the loss that training lowers; σ(x) = 1/(1 + e⁻ˣ) turns any number into one between 0 and 1. For each word w and a neighbour c, the first term rewards a large product w·c; the k others punish large products with words drawn at random.'],
    live: {
      read: 'Sentences read',
      epoch: 'Passes over the text',
      within: 'mean cosine within a kind',
      between: 'mean cosine between kinds',
      plot: (read: string) => `The words on the two widest directions of this moment, after ${read} sentences`,
      film: (epoch: string) => `The words after ${epoch} passes over the corpus, on the two widest directions of the last pass`,
      small: (sentences: string, words: string) => `${sentences} sentences from patterns, read again and again; ${words} words, 12 dimensions, trained in this page. Drawn are the words that have a kind.`,
      kind: 'kind',
      real: 'The same on real text',
      train: 'Train on a corpus',
      training: (share: string) => `training · ${share}`,
      corpus: (name: string, words: string, dimension: string) => `Skip-gram on ${name}, ${words} words of text, ${dimension} dimensions; the plane is that of the last pass`,
      noJob: 'Real text is trained on your own machine: bring a corpus with armillary fetch, install the extra “train”, and open this page with armillary serve.',
      told: (value: string) => `${value} before any training.`,
    },
  },
  {
    title: '从一团随机数到各归其类',
    words: [
      '训练之前，每一行都是随机数。word2vec（2013 年的一种训练方法）只守一条规矩：文中挨得近的两个词，把它们的行转向彼此；随手抽来的词，把它们推开。',
      '没有人告诉它什么是动物、什么是吃的。按“开始”，看同类的词怎样聚到一处。这段文字由十几个句式造成，小到可以在网页里现场训练；下面还可以换成真实的文字。',
    ],
    ask: '还没训练时，同类两个词的平均余弦（1 为同向，0 为垂直）大约是多少？',
    options: ['接近 1', '接近 0', '接近 −1'],
    means: '“物以类聚”：同类的词常和同样的词为伴，于是行也走到一起。规矩里没有“类别”二字，类别本来就在文字里。',
    curious: ['ℓ 是训练要压低的损失；σ(x) = 1/(1 + e⁻ˣ) 把任何数变成 0 到 1 之间的数；log 是自然对数。对词 w 和它的邻居 c：第一项鼓励乘积 w·c 大，另外 k 项压低它与随机抽来的词的乘积。'],
    live: {
      read: '读过的句子',
      epoch: '读了几遍',
      within: '同类平均余弦',
      between: '异类平均余弦',
      plot: (read) => `读过 ${read} 句后，把词投到此刻散得最开的两个方向上`,
      film: (epoch) => `语料读过 ${epoch} 遍后的词，平面取自最后一遍散得最开的两个方向`,
      small: (sentences, words) => `${sentences} 句由句式造成，反复地读；共 ${words} 个词，12 维，在本页训练。图上只画有类别的词。`,
      kind: '类别',
      real: '换成真实文字',
      train: '用语料训练',
      training: (share) => `训练中 · ${share}`,
      corpus: (name, words, dimension) => `在语料 ${name} 上训练的 skip-gram，正文 ${words} 词，${dimension} 维；平面取自最后一遍。`,
      noJob: '真实文字要在自己的电脑上训练：先用 armillary fetch 取一份语料，装上附加组件 train，再用 armillary serve 打开本页。',
      told: (value) => `训练前是 ${value}。`,
    },
  },
);
