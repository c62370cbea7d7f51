import { said } from './said';

export const ladder = said(
  {
    title: 'The ladder of relations',
    words: [
      'If directions carry meaning, cosine should fall as words part: the same word, synonyms, related words, opposites, translations, unrelated words. We wrote some thirty pairs for each rung and measured them on this table.',
      'The thin line is the 95 % interval over the pairs of a rung: another thirty pairs would give another mean. The grey bar is two rows drawn at random.',
    ],
    ask: 'Where do opposites lie (hot and cold)? Guess the mean cosine of opposite pairs.',
    options: [],
    means:
      'Opposites usually lie well above unrelated words: hot and cold stand in the same sentences. Cosine measures likeness of use. “Means the same” and “means the opposite” are both likeness of use.',
    curious: ['The mean of n cosines, each of the two raw rows of a pair; a word of several tokens is the mean of its rows. The interval is drawn from the pairs 1,000 times with replacement.'],
    live: {
      rung: 'rung',
      rungs: {
        identical: 'identical',
        synonym: 'synonyms',
        related: 'related',
        antonym: 'opposites',
        translation: 'translations',
        unrelated: 'unrelated',
      } as Record<string, string>,
      random: 'random pairs',
      interval: '95 % interval',
      pairs: 'pairs measured',
      missing: 'pairs this table cannot spell',
      choose: 'Rung',
      held: 'The expected order held, each step beyond its interval.',
      broken: (steps: string) => `Not every step of the expected order held: ${steps}.`,
      step: (upper: string, lower: string) => `${upper} above ${lower}`,
      told: (value: string, low: string, high: string) => `Opposites: ${value}, interval ${low} to ${high}.`,
    },
  },
  {
    title: '亲疏的阶梯',
    words: [
      '如果方向真的带着意思，那么关系越疏，余弦就该越小：同一个词、近义词、相关词、反义词、译词、不相干的词。每一级我们各写了三十来对，在这张表上逐级量过。',
      '细线是 95 % 区间：换一批词对，平均数会在这个范围里动。灰条是随手抽的两行。',
    ],
    ask: '反义词（冷—热、大—小）落在哪里？猜猜它们的平均余弦。',
    options: [],
    means: '反义词通常远高于不相干的词：“冷”和“热”总在同样的句子里出现。余弦量的是用法像不像；意思相同与意思相反，用法都像。',
    curious: ['n 对词的余弦取平均，行是原始行；一个词由几个词元拼成时，取这几行的平均。区间由有放回地重抽 1,000 次得到。'],
    live: {
      rung: '级',
      rungs: { identical: '同一个词', synonym: '近义词', related: '相关词', antonym: '反义词', translation: '译词', unrelated: '不相干' },
      random: '随机两行',
      interval: '95 % 区间',
      pairs: '量了几对',
      missing: '这张表拼不出的',
      choose: '看哪一级',
      held: '预想的次序全部成立，每一级之差都在区间之外。',
      broken: (steps) => `预想的次序没有全部成立：${steps}。`,
      step: (upper, lower) => `“${upper}”未能明显高过“${lower}”`,
      told: (value, low, high) => `反义词：${value}，区间 ${low} 到 ${high}。`,
    },
  },
);
