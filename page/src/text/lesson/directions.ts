import { said } from './said';

export const directions = said(
  {
    title: 'How many directions are there?',
    words: [
      'Ask for arrows at exact right angles and d dimensions hold d of them. Allow a few degrees and the number explodes: in high dimensions two random arrows are almost always nearly perpendicular.',
      'The histogram draws 4,000 random pairs now, in this page. The curve is the law they follow. The number is how many random arrows can be thrown in before, more likely than not, some pair leaves the tolerance.',
    ],
    ask: 'In 1,024 dimensions with 15° of tolerance, how many nearly perpendicular directions does random throwing reach?',
    options: [],
    means:
      'Exactly perpendicular: d. Nearly: a number that grows exponentially with d. In few dimensions random throwing falls short even of d; as d grows it overtakes everything. Nobody has to construct them; random arrows do it. That is why a few thousand dimensions hold a whole vocabulary.',
    curious: [
      'Random arrows are at right angles on average (E is the mean), and stray by 1/√d in cosine (sd is the standard deviation).',
      'The chance that two random directions are further from a right angle than the tolerance; ε is the sine of the tolerance, I the regularised incomplete beta function.',
      'V is where the expected number of offending pairs is ln 2, so that half of all throws have none.',
    ],
    live: {
      d: 'Dimensions d =',
      tolerance: 'Tolerance',
      degrees: (x: string) => `${x}°`,
      exact: 'exactly perpendicular',
      near: 'random directions within the tolerance',
      spread: 'spread of the angle (sd) in this draw',
      draw: 'Draw again',
      angle: 'angle between two random directions (degrees)',
      density: 'share per degree',
      drawn: 'drawn now',
      law: 'the law: sine of the angle to the power of d − 2, scaled',
      title: (d: string, inside: string) => `In ${d} dimensions ${inside} of random pairs lie within the tolerance of 90°`,
      told: (n: string) => `About ${n}.`,
    },
  },
  {
    title: '究竟有多少个方向',
    words: [
      '要两两严格垂直，d 维只容得下 d 支箭。放宽几度，维数又高，数目就会爆炸：高维里随手抽的两支箭，几乎总是接近垂直。',
      '直方图是本页刚刚抽的 4,000 对，曲线是它们服从的规律。“容许之内”的那个数是：一支支随手往里扔，大约扔到多少支，才有一半的机会出现偏得过大的一对。',
    ],
    ask: '1,024 维，容许偏离直角 15°。随手扔箭，能扔进多少支？',
    options: [],
    means: '严格垂直：d 支。近乎垂直：随 d 指数增长。维数低时，随手扔还不如 d 支摆正的；维数一高，就把它远远抛在后面，而且不用谁来设计。几千维装得下整部词典，道理在此。',
    curious: ['E 是平均，sd 是标准差：随机两支箭平均垂直，余弦的标准差是 1/√d。', '随机一对偏得过大的概率：ε 是容许角的正弦，I 是一个有现成算法的函数（正则化不完全贝塔函数）。', '左边是 V 支箭里“偏得过大的对”的期望个数。它等于 ln 2 ≈ 0.69 时，恰有一半的机会一对也没有。'],
    live: {
      d: '维数 d =',
      tolerance: '容许偏离',
      degrees: (x) => `${x}°`,
      exact: '两两严格垂直',
      near: '随手扔，容许之内',
      spread: '这一次抽样里夹角的标准差',
      draw: '再抽一次',
      angle: '随机两个方向的夹角（度）',
      density: '每度所占的份额',
      drawn: '刚抽的',
      law: '规律：与夹角正弦的 d − 2 次方成正比',
      title: (d, inside) => `${d} 维时，${inside} 的随机对落在直角附近的容许范围内`,
      told: (n) => `约 ${n} 支。`,
    },
  },
);
