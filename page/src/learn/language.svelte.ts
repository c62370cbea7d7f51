// The lesson's sentences in the chosen language, apart from the page's so that they load with the lesson.

import { language } from '../text/language.svelte';
import { learnEn, type Lesson } from '../text/learn-en';
import { learnZh } from '../text/learn-zh';

class LessonText {
  get text(): Lesson {
    return language.code === 'zh-CN' ? learnZh : learnEn;
  }

  /** The language as the library names it. */
  get code(): 'en' | 'zh' {
    return language.code === 'zh-CN' ? 'zh' : 'en';
  }
}

export const lesson = new LessonText();
