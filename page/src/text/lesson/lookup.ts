import { said } from './said';

export const lookup = said(
  {
    title: 'Looking up a row',
    words: [
      'Put a one-hot vector in front of the table and multiply. Every row is taken 0 times, except one, taken once. So the product is that row, and the computer need not multiply: it fetches the row. That is all an embedding layer does.',
      'Step through it. The table here is a corner of the real one: five of its rows, the first four numbers of each.',
    ],
    ask: 'Done as a multiplication over the whole table, what share of the products has a factor other than 0?',
    options: ['about half', 'one row in all of them', 'all of them'],
    means:
      'Fetching and multiplying give the same numbers, bit for bit; the library checked it on this table. The multiplication is only the meaning; the fetch is what runs. Training moves the fetched rows and no others.',
    curious: ['The bracket is 1 where j equals i and 0 elsewhere, so the sum over all V rows keeps one term: row i itself.'],
    live: {
      step: 'Multiply the next row',
      again: 'From the top',
      token: 'Token to look up',
      tokenColumn: 'token and row',
      switch: 'one-hot',
      sum: 'sum so far',
      row: (n: string) => `row ${n}`,
      products: 'products so far with a factor of 0',
      cost: 'for one token of the whole table',
      costValue: (product: string, fetch: string) => `${product} multiplications, or ${fetch} numbers fetched`,
      equal: 'row fetched = product',
      yes: (rows: string) => `equal, number for number, over ${rows} rows`,
      no: 'not equal',
      told: (share: string) => `One row: ${share} of the products.`,
    },
  },
  {
    title: '查表：取出一行',
    words: [
      '让独热向量乘整张表：别的行都乘 0，只有一行乘 1，加起来正好是那一行。所以电脑不必真乘，直接把那一行取出来就行。所谓“嵌入层”，做的就是这件事。',
      '一步一步来看。下面是真表的一角：几个词元，每行只列前四个数。',
    ],
    ask: '真要拿独热向量去乘整张表，有多少乘法不是在乘 0？',
    options: ['大约一半', '只有其中一行', '全部'],
    means: '“取一行”和“乘一遍”结果逐位相同，这张表上已由程序核对。乘法只是它的含义，取行才是实际在做的事。训练时也只改动取到的那些行。',
    curious: ['方括号在 j 等于 i 时是 1，否则是 0。V 行求和，只留下第 i 行。'],
    live: {
      step: '乘下一行',
      again: '从头再来',
      token: '要查的词元',
      tokenColumn: '词元与行',
      switch: '独热',
      sum: '累加到此',
      row: (n) => `第 ${n} 行`,
      products: '到此为止乘 0 的次数',
      cost: '整张表，查一个词元',
      costValue: (product, fetch) => `要么乘 ${product} 次，要么取 ${fetch} 个数`,
      equal: '取出的行与乘积',
      yes: (rows) => `在 ${rows} 行上逐数相等`,
      no: '不相等',
      told: (share) => `只有一行，占 ${share}。`,
    },
  },
);
