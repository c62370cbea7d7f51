// Word2vec on a real corpus: a job of the server. An exported folder has no server; there the lesson says so and keeps to
// the text that trains in the page.

import type { FilmDocument } from './documents';
import { follow } from './job';

class FilmState {
  films = $state<Partial<Record<'en' | 'zh', FilmDocument>>>({});
  share = $state<number | null>(null);
  failure = $state<string | null>(null);

  async train(language: 'en' | 'zh'): Promise<void> {
    this.failure = null;
    this.share = 0;
    try {
      this.films[language] = await follow<FilmDocument>(`word2vec-${language}`, {}, (share) => (this.share = share));
    } catch (error) {
      this.failure = (error as Error).message;
    }
    this.share = null;
  }
}

export const film = new FilmState();
