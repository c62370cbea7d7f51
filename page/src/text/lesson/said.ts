// A step says the same keys in both languages, one beside the other; the compiler refuses a key that one of them lacks.
// Examples are each language's own.

export interface Said<Live extends object> {
  title: string;
  /** Under 120 words in all, in Chinese under 220 characters. */
  words: string[];
  ask: string;
  options: string[];
  means: string;
  /** One explanation for each formula of the step. */
  curious: string[];
  /** What stands at the live thing. */
  live: Live;
}

export interface Both<T> {
  en: T;
  zh: T;
}

export const both = <T extends object>(en: T, zh: NoInfer<T>): Both<T> => ({ en, zh });

export const said = <Live extends object>(en: Said<Live>, zh: Said<NoInfer<Live>>): Both<Said<Live>> => ({ en, zh });
