// The report as far as the library knows it, and the scan that fills in the rest.

import { getJson, postJson, remove } from '../api/client';
import type { Job, Report } from '../api/types';

const PAUSE = 500; // milliseconds between looks at a running job

class ReportState {
  current = $state.raw<Report | null>(null);
  failure = $state<string | null>(null);
  job = $state<Job | null>(null);

  async load(): Promise<void> {
    this.failure = null;
    try {
      this.current = await getJson<Report>('report');
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }

  /** Starts the scan, follows it, and reads the report again when it is done. */
  async scan(): Promise<void> {
    try {
      this.job = await postJson<Job>('jobs/scan', {});
      while (this.job.state === 'running') {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        this.job = await getJson<Job>(`jobs/${this.job.id}`);
      }
      if (this.job.state === 'done') await this.load();
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }

  async cancel(): Promise<void> {
    if (this.job) await remove(`jobs/${this.job.id}`);
  }
}

export const report = new ReportState();
