// Long work: started as a job, followed until it ends, cancelled when nobody waits for it any more.

import { EXPORTED, Failure, getJson, postJson, remove } from './client';
import type { Job } from './types';

const PAUSE = 300; // milliseconds between looks at a running job

/** What a job may be told; each kind reads its own. */
export interface Task {
  method?: string;
  space?: string;
  prompt?: string;
  answer?: string;
  position?: number;
  word?: string;
  words?: string[];
  sentences?: string[];
}

/** Runs a job and resolves to its result; `tell` hears of its progress. Aborting the signal cancels the job. */
export async function runJob<T>(kind: string, task: Task, tell: (job: Job) => void, signal?: AbortSignal): Promise<T> {
  if (EXPORTED) return (await import('../folder/answers')).result<T>(kind, task);
  let job = await postJson<Job>(`jobs/${kind}`, task);
  tell(job);
  while (job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (signal?.aborted) {
      await remove(`jobs/${job.id}`);
      throw new DOMException('cancelled', 'AbortError');
    }
    job = await getJson<Job>(`jobs/${job.id}`);
    tell(job);
  }
  if (job.state === 'cancelled') return runJob(kind, task, tell, signal); // someone else stopped it; it is still wanted here
  if (job.state === 'failed') throw new Failure(job.message);
  return (await getJson<{ result: T }>(`jobs/${job.id}/result`)).result;
}
