import { said } from './said';

export const arrows = said(
  {
    title: 'Two arrows',
    words: [
      'A row of numbers is called a vector: an arrow from the origin. With two numbers we can draw it; with 256 the same arithmetic holds.',
      'Three quantities matter. The length. The dot product: multiply number by number and add up. The cosine: the dot product with both lengths divided out, so only the angle is left, from 1 (same direction) over 0 (right angle) to −1 (opposite).',
      'Move the arrow heads and watch all three.',
    ],
    ask: 'Make the first arrow twice as long without turning it. What changes?',
    options: ['dot product and cosine both double', 'only the dot product doubles', 'only the cosine doubles'],
    means:
      'The dot product mixes two things, length and direction. The cosine keeps direction alone. When someone says two words are “close”, ask which of the two they computed.',
    curious: [
      'Number by number on the left (q counts the places); by lengths and angle on the right. For (3, 4) and (4, 3): 3·4 + 4·3 = 24.',
      'Divide both lengths out: 24 / (5 · 5) = 0.96, an angle of 16.3°.',
    ],
    live: {
      a: 'arrow a',
      b: 'arrow b',
      dot: 'dot product a · b',
      lengthA: 'length of a',
      lengthB: 'length of b',
      double: 'Make a twice as long',
      full: 'Twice as long would leave the picture; pull a in first.',
      told: 'At (6, 8) and (4, 3): dot product 48, cosine 0.96 as before.',
      plane: (a: string, b: string) => `A plane with two arrows from the origin, a to ${a} and b to ${b}`,
    },
  },
  {
    title: '两支箭',
    words: [
      '一行数叫一个向量，可以画成从原点射出的一支箭。两个数画得出来；二百五十六个数画不出来，算法却一模一样。',
      '要看三样。一、长度。二、点积：对应的数相乘，再加起来。三、余弦，也叫余弦相似度：点积除以两个长度的乘积，只剩下夹角，同向为 1，垂直为 0，反向为 −1。',
      '拖动箭头，看三样怎么变。',
    ],
    ask: '把第一支箭原地拉长一倍，方向不变。什么会变？',
    options: ['点积和余弦都加倍', '只有点积加倍', '只有余弦加倍'],
    means: '点积里混着长短和方向两件事，余弦只留方向。别人说两个词“很近”，先问一句：用的是哪一个？',
    curious: ['左边是逐数相乘再相加（q 数过每一个位置），右边是长度与夹角。以 (3, 4) 和 (4, 3) 为例：3·4 + 4·3 = 24。', '再除以两个长度：24 / (5 · 5) = 0.96，夹角 16.3°。'],
    live: {
      a: '箭 a',
      b: '箭 b',
      dot: '点积 a · b',
      lengthA: 'a 的长度',
      lengthB: 'b 的长度',
      double: '把 a 拉长一倍',
      full: '再拉长一倍就出图了，先把 a 收短些。',
      told: '在 (6, 8) 与 (4, 3)：点积 48，余弦仍是 0.96。',
      plane: (a, b) => `平面上从原点出发的两支箭，a 到 ${a}，b 到 ${b}`,
    },
  },
);
