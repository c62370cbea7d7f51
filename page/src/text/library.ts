// What the library says in its own words (errors and cures, how a null was made, where a row comes from), said in Chinese.
// The library's sentences are the keys, as templates: {} stands for whatever is filled in. In the Chinese, {} is the next
// of these and {1} the one of that number, as it is: it may be a token; {!} is the library's own and is said in Chinese too. tests/test_page_chinese.py
// holds that every key is still said somewhere, and that nothing the page can be told is missing.

import said from './library-zh.json';

interface Template {
  pattern: RegExp;
  chinese: string;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const literal = (key: string): number => key.replaceAll('{}', '').length;

/** Those with the most letters of their own come first: the most exact one that fits is meant. */
const TEMPLATES: Template[] = Object.entries(said)
  .filter(([key]) => key.includes('{}'))
  .sort(([a], [b]) => literal(b) - literal(a))
  .map(([key, chinese]) => ({ pattern: new RegExp(`^${key.split('{}').map(escaped).join('(.*?)')}$`, 's'), chinese }));

function filled(chinese: string, parts: readonly string[]): string {
  let next = 0;
  return chinese.replace(/\{(\d?)(!?)\}/g, (_, place: string, own: string) => {
    const part = parts[place === '' ? next++ : Number(place)] ?? '';
    return own ? inChinese(part) : part;
  });
}

/** The library's sentence in Chinese; one that it does not know stays as it is. A message and its cure are joined by ·. */
export function inChinese(text: string): string {
  const whole = (said as Record<string, string>)[text];
  if (whole !== undefined) return whole;
  if (text.includes(' · ')) return text.split(' · ').map(inChinese).join(' · ');
  for (const { pattern, chinese } of TEMPLATES) {
    const found = pattern.exec(text);
    if (found) return filled(chinese, found.slice(1));
  }
  return text.includes('; ') ? text.split('; ').map(inChinese).join('；') : text;
}
