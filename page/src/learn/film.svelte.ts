// Word2vec on a real corpus: a job of the server, followed until it is done. An exported folder has no server; there the
// lesson says so and keeps to the text that trains in the page.

import { getJson, postJson } from '../api/client';
import type { Job } from '../api/types';
import type { FilmDocument } from './documents';

const PAUSE = 600; // milliseconds between looks at the job

class FilmState {
  films = $state<Partial<Record<'en' | 'zh', FilmDocument>>>({});
  job = $state<Job | null>(null);
  failure = $state<string | null>(null);

  /** What an earlier visit has trained, if anything. */
  async look(language: 'en' | 'zh'): Promise<void> {
    if (this.films[language]) return;
    try {
      this.films[language] = await getJson<FilmDocument>(`lesson/${language}/snapshots`);
    } catch {
      // not trained yet; the button offers to
    }
  }

  async train(language: 'en' | 'zh'): Promise<void> {
    this.failure = null;
    try {
      this.job = await postJson<Job>(`jobs/word2vec-${language}`, {});
      while (this.job.state === 'running') {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        this.job = await getJson<Job>(`jobs/${this.job.id}`);
      }
      if (this.job.state === 'failed') this.failure = this.job.message;
      if (this.job.state === 'done') this.films[language] = await getJson<FilmDocument>(`lesson/${language}/snapshots`);
    } catch (error) {
      this.failure = (error as Error).message;
    }
    this.job = null;
  }
}

export const film = new FilmState();
