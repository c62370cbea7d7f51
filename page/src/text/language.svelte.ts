// The chosen language: the address first (?lang=zh-CN), then what was remembered, then the browser's own.

import { address } from '../state/address.svelte';
import { en, type Dictionary } from './en';
import { inChinese } from './library';
import { zh } from './zh';

export type Language = 'en' | 'zh-CN';
const DICTIONARIES: Record<Language, Dictionary> = { en, 'zh-CN': zh };
export const LANGUAGES = Object.entries(DICTIONARIES).map(([code, d]) => ({ code: code as Language, name: d.name }));

function remembered(): string | null {
  try {
    return localStorage.getItem('armillary.language');
  } catch {
    return null; // storage may be forbidden; the language is then not remembered
  }
}

class LanguageState {
  get code(): Language {
    const wanted = address.get('lang') ?? remembered() ?? navigator.language;
    return wanted.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
  }

  get text(): Dictionary {
    return DICTIONARIES[this.code];
  }

  /** What the library says in its own words, in the page's language. */
  told(text: string): string {
    return this.code === 'zh-CN' ? inChinese(text) : text;
  }

  /** Whose word lists are asked when nothing else is chosen. */
  get lists(): 'en' | 'zh' {
    return this.code === 'zh-CN' ? 'zh' : 'en';
  }

  choose(code: Language): void {
    try {
      localStorage.setItem('armillary.language', code);
    } catch {
      // not remembered, see above
    }
    address.go({ lang: code }, true);
  }
}

export const language = new LanguageState();
