import { said } from './said';

export const references = said(
  {
    title: 'Where this comes from',
    words: [
      'The lesson’s ideas are other people’s; the measurements are this table’s. These are the papers to read next, in the order of the steps.',
      'Every number you saw was computed by the library on the table named above, or in this page where it says so. Each measure’s definition is on the measures page of the documentation.',
    ],
    ask: '',
    options: [],
    means: '',
    curious: [],
    live: { step: 'step', work: 'work', on: 'on' },
  },
  {
    title: '出处',
    words: [
      '道理是前人的，数字是这张表的。下面按步骤列出可以接着读的文章。',
      '你看到的每个数，要么由程序在上方写明的表上算出，要么由本页当场算出（会注明）。各个量的定义见文档中的“度量”一页。',
    ],
    ask: '',
    options: [],
    means: '',
    curious: [],
    live: { step: '步骤', work: '文献', on: '见' },
  },
);
