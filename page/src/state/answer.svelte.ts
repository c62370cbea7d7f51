// One question of a panel: its answer, or why there is none. A newer question overtakes an older one.

export class Answer<T> {
  value = $state.raw<T | null>(null);
  failure = $state<string | null>(null);
  waiting = $state(false);
  private asking: AbortController | undefined;
  private again: ((signal: AbortSignal) => Promise<T>) | undefined;

  /** Asks; returns what stops it, for an effect to return. The old answer stays until the new one is there. */
  ask(question: (signal: AbortSignal) => Promise<T>): () => void {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.again = question;
    this.waiting = true;
    this.failure = null;
    question(asking.signal).then(
      (value) => {
        if (asking.signal.aborted) return;
        this.value = value;
        this.waiting = false;
      },
      (error: Error) => {
        if (asking.signal.aborted || error.name === 'AbortError') return;
        this.failure = error.message;
        this.value = null;
        this.waiting = false;
      },
    );
    return () => asking.abort();
  }

  retry(): void {
    if (this.again) this.ask(this.again);
  }

  stop(): void {
    this.asking?.abort();
    this.waiting = false;
  }

  clear(): void {
    this.stop();
    this.value = null;
    this.failure = null;
  }
}
