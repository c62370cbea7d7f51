// The report as far as the library knows it, in the space of the page or of the rows as stored, and the scan that fills in
// the rest.

import { runJob } from '../api/jobs';
import type { Job, Report } from '../api/types';
import { forgetMap } from '../map/data';
import { getSpaced, space } from './space.svelte';

class ReportState {
  current = $state.raw<Report | null>(null);
  failure = $state<string | null>(null);
  job = $state<Job | null>(null);
  /** Whether the sections that need the finished scan are on their way. */
  more = $state(false);
  private of = '';
  private scanning: AbortController | undefined;

  /** `follow`: the name of the space that the report is of; `whole`: whether what needs the pairs is wanted too. */
  constructor(
    private readonly follow: () => string,
    private readonly whole: boolean,
  ) {}

  /** Reads the report of the space unless it is here; call it in an effect, so that a change of space is followed.
   * What costs a few passes comes at once; where a scan is finished, the rest follows as a job. */
  load(again = false): void {
    const name = this.follow();
    if (!again && this.of === name) return;
    this.of = name;
    this.failure = null;
    this.read(name).catch((error: Error) => {
      if (this.of !== name) return;
      this.failure = error.message;
      this.of = '';
    });
  }

  private async read(name: string): Promise<void> {
    const first = await getSpaced<Report & { more?: boolean }>('report', undefined, name);
    if (this.of !== name) return;
    this.current = first;
    if (!first.more || !this.whole) return;
    this.more = true;
    try {
      const whole = await runJob<Report>('report', { space: name }, (job) => (this.job = job));
      if (this.of === name) this.current = whole;
    } finally {
      this.more = false;
      this.job = null;
    }
  }

  /** Starts the scan, follows it, and reads the report again when it is done. */
  async scan(): Promise<void> {
    this.scanning = new AbortController();
    const name = this.follow();
    try {
      await runJob('scan', { space: name }, (job) => (this.job = job), this.scanning.signal);
      forgetMap(name);
      this.load(true);
    } catch (error) {
      if ((error as Error).name !== 'AbortError') this.failure = (error as Error).message;
    } finally {
      this.job = null;
    }
  }

  cancel(): void {
    this.scanning?.abort();
  }
}

export const report = new ReportState(() => space.name, true);
/** What is a fact of the rows as stored, whatever space the page is in. */
export const storedReport = new ReportState(() => 'raw', false);
