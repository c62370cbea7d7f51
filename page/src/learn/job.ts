// A job of the server, followed to its result.

import { getJson, postJson } from '../api/client';
import type { Job } from '../api/types';

const PAUSE = 500; // milliseconds between looks

/** What the job found; `told` is given its share done. Throws with the job's own reason where it failed. */
export async function follow<T>(kind: string, task: object, told: (share: number) => void): Promise<T> {
  let job = await postJson<Job>(`jobs/${kind}`, task);
  while (job.state === 'running') {
    told(job.total ? job.done / job.total : 0);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    job = await getJson<Job>(`jobs/${job.id}`);
  }
  if (job.state !== 'done') throw new Error(job.message || job.state);
  return (await getJson<{ result: T }>(`jobs/${job.id}/result`)).result;
}
