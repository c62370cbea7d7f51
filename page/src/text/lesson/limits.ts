import { said } from './said';

export const limits = said(
  {
    title: 'What this view cannot explain',
    words: [
      'Three cards: a dog, a bite, a man. Put them in any order and average their rows. “Dog bites man” and “man bites dog” do not say the same.',
      'A table knows nothing of order, of the sentence, of who did what. It shows which tokens are used alike. Why a model answers as it does also needs attention, the layers, the data. A direction that separates two lists is a correlation, until one has changed it and watched the model change.',
    ],
    ask: 'Swap the first and the last word. How does the mean of the three rows change?',
    options: ['it turns a little', 'not at all', 'it turns around'],
    means:
      'What a mean of rows cannot tell apart, no similarity of means can. Keep the question in view: this instrument measures a table. It measures neither thought nor truth.',
    curious: ['π is any reordering of the m tokens. A sum does not care about the order of its terms.'],
    live: {
      cosine: 'cosine of the mean before and after',
      sentence: 'the cards now read',
      left: 'to the left',
      right: 'to the right',
      told: 'The cosine of the two means is 1.',
      hint: 'Move a card with its arrows, or with the arrow keys while it has the focus.',
      moves: 'moves so far',
    },
  },
  {
    title: '这里看不见的',
    words: [
      '三张卡片：我、想、你。随你怎么排，再取三行的平均。“我想你”和“你想我”，是两个人的事。',
      '表不管次序，不管句子，不管谁对谁做了什么，只显示哪些词元用法相像。模型为什么这样答，还得看注意力、各层和数据。一个方向能把两堆词分开，只说明相关；要有人真的动过它，看到模型随之改变，才谈得上原因。',
    ],
    ask: '把首尾两个词对调，三行的平均会怎样？',
    options: ['稍微偏一点', '丝毫不变', '掉个头'],
    means: '平均分不清的，靠平均算出来的相似度也都分不清。记住这件仪器量的是一张表；它不量思想，也不量真假。',
    curious: ['π 是 m 个词元的任意一种重排。加法不管先后。'],
    live: {
      cosine: '重排前后平均向量的余弦',
      sentence: '现在读作',
      left: '往左',
      right: '往右',
      told: '两个平均向量的余弦是 1。',
      hint: '点一下卡片就移动它，选中后也可按左右方向键。',
      moves: '挪了几步',
    },
  },
);
