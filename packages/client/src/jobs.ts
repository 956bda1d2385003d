import type { Client } from './client.ts';
import type { components } from './generated/api.ts';
import { pause } from './send.ts';

type Job = components['schemas']['Job'];

/** A small job is over by then. */
const FIRST_LOOK_MS = 250;
const LOOK_EVERY_MS = 1_000;

/**
 * Waits until a job is over, and returns it. `onProgress` gets the job after each look. Aborting the signal ends the waiting,
 * not the job.
 */
export async function watchJob(
  client: Client,
  job: Job,
  { onProgress, signal }: { onProgress?: (job: Job) => void; signal?: AbortSignal | undefined } = {},
): Promise<Job> {
  let current = job;
  for (let pauseMs = FIRST_LOOK_MS; !isOver(current); pauseMs = LOOK_EVERY_MS) {
    await pause(pauseMs, signal);
    current = await client.get('/api/v1/jobs/{id}', { path: { id: job.id }, signal });
    onProgress?.(current);
  }
  return current;
}

function isOver({ state }: Job): boolean {
  return state !== 'waiting' && state !== 'running';
}
