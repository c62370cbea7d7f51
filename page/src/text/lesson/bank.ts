import { said } from './said';

export const bank = said(
  {
    title: 'Bank by the river, bank in the city',
    words: [
      'A table has one row per token. The bank of a river and the bank that lends money are spelled the same. What is fetched for either is a compromise of all its uses.',
      'See whose neighbours the compromise took. What tells the two apart comes later. A model is a stack of layers; each adds to the vector what it read off the sentence.',
    ],
    ask: 'Before any layer has run, what is the cosine between “bank” in the first sentence and “bank” in the second?',
    options: ['exactly 1', 'about one half', 'near 0'],
    means:
      'At the table the two are one vector. Layer by layer their states part, and measured against that layer’s own random pairs one sees how far. The table is where a word starts; its sense in a sentence is made by the layers.',
    curious: ['h₀ is the fetched row; each layer f adds what it computed from the whole context. After L layers the same token has as many vectors as it has contexts.'],
    live: {
      first: 'First sentence',
      second: 'Second sentence',
      table: 'cosine at the table (layer 0)',
      near: (word: string) => `nearest rows of ${word}`,
      show: 'Show the nearest',
      run: 'Run the model on both sentences',
      layers: 'cosine of the word in the two sentences',
      random: 'two random tokens of the same layer',
      title: (word: string, low: string) => `${word} in two sentences: from 1 at the table down to ${low}`,
      layer: 'layer',
      noModel: (name: string) => `No layer of ${name} can run here. To see the senses part, bring a small model (armillary fetch smollm2) and open it: armillary serve demo:smollm2.`,
      told: 'It is the same row.',
      pooled: (count: string) => `The table spells this word with ${count} tokens; their mean stands for it.`,
    },
  },
  {
    title: '同一种写法，两个意思',
    words: [
      '一张表里，一种写法只有一行。“会”可以是“开会”的会，也可以是“会下雨”的会；“苹果”能削着吃，也能开发布会。按写法取出来的，是各种用法的折中。',
      '看看折中更偏向谁。要分清是哪个意思，得等模型跑起来：模型由许多层叠成，每一层都把从句子里读到的，加一点进去。',
    ],
    ask: '一层都还没跑，两句话里的这个词，余弦是多少？',
    options: ['恰好是 1', '一半左右', '接近 0'],
    means: '在表里它们是同一个向量。逐层往上，两处的状态才分开；分开多少，要与同一层的随机两个词元比着看。表是一个词的起点，句中的意思是各层做出来的。',
    curious: ['h₀ 是取出的行；每层 f 加上它从整句算出的东西。过了 L 层，同一个词元有几处语境，就有几个向量。'],
    live: {
      first: '第一句',
      second: '第二句',
      table: '在表里（第 0 层）的余弦',
      near: (word) => `“${word}”最近的行`,
      show: '列出最近的',
      run: '让模型读这两句',
      layers: '两句中这个词的余弦',
      random: '同层随机两个词元',
      title: (word, low) => `两句里的“${word}”：从表里的 1 降到 ${low}`,
      layer: '层',
      noModel: (name) => `${name} 只是一张表，后面没有能跑的层。想看两个意思怎样分开，请先取一个小模型（armillary fetch smollm2），再打开它：armillary serve demo:smollm2。`,
      told: '本来就是同一行。',
      pooled: (count) => `这张表要用 ${count} 个词元拼出它，这里取平均。`,
    },
  },
);
