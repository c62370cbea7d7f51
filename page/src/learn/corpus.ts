// The lesson's small texts: sentences that a few patterns make, written for this page, in each language its own. What
// word2vec finds in them is what the patterns put in: words of a kind stand in like company.

import type { Text } from '../arithmetic/skipgram';
import { uniform } from '../arithmetic/random';

export interface Pattern {
  kinds: Record<string, readonly string[]>;
  /** Sentences; a word in braces is drawn from that kind. */
  frames: readonly string[];
  sentences: number;
}

export const PATTERNS: Record<'en' | 'zh', Pattern> = {
  en: {
    kinds: {
      animal: ['cat', 'dog', 'horse', 'sheep', 'goat'],
      food: ['bread', 'rice', 'soup', 'cheese', 'apples'],
      vehicle: ['bus', 'train', 'boat', 'tram', 'ferry'],
      person: ['farmer', 'doctor', 'teacher', 'baker', 'sailor'],
    },
    frames: [
      'the {animal} sleeps in the barn',
      'the {animal} runs over the field',
      'the {animal} drinks from the river',
      'the {person} feeds the {animal}',
      'the {animal} follows the {person}',
      'the {person} cooks {food} at home',
      'we eat warm {food} with salt',
      'the {person} buys {food} at the market',
      'fresh {food} smells good',
      'the {vehicle} leaves the station at noon',
      'the {person} waits for the late {vehicle}',
      'the {vehicle} stops near the harbour',
      'a full {vehicle} passes slowly',
      'the {person} reads a letter',
      'the old {person} tells a story',
    ],
    sentences: 600,
  },
  zh: {
    kinds: {
      动物: ['猫', '狗', '马', '羊', '兔子'],
      食物: ['米饭', '面条', '饺子', '豆腐', '汤'],
      车船: ['火车', '汽车', '轮船', '地铁', '飞机'],
      人: ['妈妈', '老师', '医生', '农民', '司机'],
    },
    frames: [
      '{动物} 在 院子 里 睡觉',
      '{动物} 在 草地 上 跑',
      '{人} 给 {动物} 喂 水',
      '{动物} 跟 着 {人} 走',
      '一 只 {动物} 躲 在 树 下',
      '{人} 在 厨房 做 {食物}',
      '大家 吃 热 {食物}',
      '{人} 去 市场 买 {食物}',
      '一 碗 {食物} 很 香',
      '{车船} 中午 从 车站 出发',
      '{人} 等 晚点 的 {车船}',
      '{车船} 慢慢 停 了 下来',
      '一 班 {车船} 已经 坐满',
      '{人} 在 灯 下 看 信',
      '{人} 讲 了 一个 故事',
    ],
    sentences: 600,
  },
};

/** The text of a language: the same patterns and seed give the same text. */
export function textOf(pattern: Pattern, seed = 0): Text {
  const random = uniform(seed);
  const place = new Map<string, number>();
  const sentences: number[][] = [];
  for (let s = 0; s < pattern.sentences; s++) {
    const frame = pattern.frames[Math.floor(random() * pattern.frames.length)]!;
    const said = frame.split(' ').map((word) => {
      const kind = word.startsWith('{') ? pattern.kinds[word.slice(1, -1)]! : [word];
      return kind[Math.floor(random() * kind.length)]!;
    });
    sentences.push(said.map((word) => place.get(word) ?? place.set(word, place.size).size - 1));
  }
  return { words: [...place.keys()], sentences };
}

/** The words that have a kind, as [word, kind, id in the text]. */
export function kindWords(pattern: Pattern, text: Text): { word: string; kind: string; id: number }[] {
  return Object.entries(pattern.kinds).flatMap(([kind, words]) =>
    words.flatMap((word) => {
      const id = text.words.indexOf(word);
      return id < 0 ? [] : [{ word, kind, id }];
    }),
  );
}
