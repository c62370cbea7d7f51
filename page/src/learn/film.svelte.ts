// Word2vec on a real corpus: a job of the server. An exported folder has no server; there the lesson says so and keeps to
// the text that trains in the page.

import { runJob } from '../api/jobs';
import type { FilmDocument } from './documents';

class FilmState {
  films = $state<Partial<Record<'en' | 'zh', FilmDocument>>>({});
  share = $state<number | null>(null);
  failure = $state<string | null>(null);

  async train(language: 'en' | 'zh'): Promise<void> {
    this.failure = null;
    this.share = 0;
    try {
      this.films[language] = await runJob<FilmDocument>(`word2vec-${language}`, {}, (job) => (this.share = job.total ? job.done / job.total : 0));
    } catch (error) {
      this.failure = (error as Error).message;
    }
    this.share = null;
  }
}

export const film = new FilmState();
