// The lesson's sentences in the chosen language, apart from the page's so that they load with the lesson.

import { language } from '../text/language.svelte';
import { LESSONS, type Lesson } from '../text/lesson';

class LessonText {
  /** The language as the library names it. Derived, so that a change of the address alone wakes nobody. */
  readonly code: 'en' | 'zh' = $derived(language.code === 'zh-CN' ? 'zh' : 'en');
  readonly text: Lesson = $derived(LESSONS[this.code]);
}

export const lesson = new LessonText();
