import { expect, test } from 'vitest';
import { inChinese } from '../src/text/library';
import said from '../src/text/library-zh.json';

test('a sentence of the library is said in Chinese, and what was filled in stays as it is', () => {
  expect(inChinese("expected a token that spells 'rows', found none in demo · near spellings: a, b")).toBe("要有一个写作 'rows' 的词元，demo 里没有 · 相近的写法：a, b");
  expect(inChinese('z, ▁z and 6 more')).toBe('z, ▁z，以及另外 6 个');
  expect(inChinese("expected an operator or the end, found the end of 'king -'")).toBe("'king -' 里应是 运算符或结尾，现在是 结尾");
  expect(inChinese('no model can run here: torch and transformers not installed: pip install \'armillary[lens]\'')).toBe("这里没有模型可以运行：torch 与 transformers 还没有安装：pip install 'armillary[lens]'");
  expect(inChinese('nobody has said this')).toBe('nobody has said this');
});

test('the most exact template is meant, whatever the order they are written in', () => {
  expect(inChinese('expected at least two words, found 1')).toBe('至少要两个词，现在有 1 个');
});

test('every Chinese sentence fills in as much as its English one gives', () => {
  for (const [english, chinese] of Object.entries(said)) {
    expect(english.split('{}').length, english).toBe(chinese.split(/\{\d?!?\}/).length);
  }
});
