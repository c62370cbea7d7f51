// The lesson's sentences in the chosen language, apart from the page's so that they load with the lesson.

import { language } from '../text/language.svelte';
import { learnEn, type Lesson } from '../text/learn-en';
import { learnZh } from '../text/learn-zh';

class LessonText {
  /** The language as the library names it. Derived, so that a change of the address alone wakes nobody. */
  readonly code: 'en' | 'zh' = $derived(language.code === 'zh-CN' ? 'zh' : 'en');
  readonly text: Lesson = $derived(this.code === 'zh' ? learnZh : learnEn);
}

export const lesson = new LessonText();
