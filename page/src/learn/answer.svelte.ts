// One fixed document of the library, lesson/LANGUAGE/PART: asked for once a language, and kept for the visit.

import { getJson } from '../api/client';
import { lesson } from './language.svelte';

export interface Answer<T> {
  value: T | null;
  failure: string | null;
}

const kept = new Map<string, Promise<unknown>>();

function ask<T>(path: string): Promise<T> {
  const found = kept.get(path);
  if (found) return found as Promise<T>;
  const asked = getJson<T & { unavailable?: string }>(path).then((answer) => {
    if (answer.unavailable) throw new Error(answer.unavailable); // an exported folder keeps the reason as the answer
    return answer;
  });
  kept.set(path, asked);
  asked.catch(() => kept.delete(path)); // a failure is asked again on the next visit
  return asked;
}

/** The document of this part in the language of the moment; call it while a component is set up. */
export function answerOf<T>(part: string): Answer<T> {
  const answer = $state<Answer<T>>({ value: null, failure: null });
  $effect(() => {
    let current = true;
    answer.value = null;
    answer.failure = null;
    ask<T>(`lesson/${lesson.code}/${part}`).then(
      (value) => current && (answer.value = value),
      (error: Error) => current && (answer.failure = error.message),
    );
    return () => (current = false);
  });
  return answer;
}
