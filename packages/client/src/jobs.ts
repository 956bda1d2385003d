import type { Client } from './client.ts';
import type { components } from './generated/api.ts';
import { pause } from './send.ts';

type Job = components['schemas']['Job'];

/** A small job is over by then. */
const FIRST_LOOK_MS = 250;
const LOOK_EVERY_MS = 1_000;

interface Watching {
  /** Gets the job after each look. */
  onProgress?: (job: Job) => void;
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined;
}

/** Waits until a job is over, and returns it. */
export function watchJob(client: Client, job: Job, watching: Watching = {}): Promise<Job> {
  const { signal } = watching;
  return lookUntilOver(job, () => client.get('/api/v1/jobs/{id}', { path: { id: job.id }, signal }), watching);
}

/** Waits until a job is over, and returns it. `look` reads it. */
export async function lookUntilOver<Looked extends Pick<Job, 'state'>>(
  job: Looked,
  look: () => Promise<Looked>,
  { onProgress, signal }: { onProgress?: (job: Looked) => void; signal?: AbortSignal | undefined } = {},
): Promise<Looked> {
  let current = job;
  for (let pauseMs = FIRST_LOOK_MS; !isOver(current); pauseMs = LOOK_EVERY_MS) {
    await pause(pauseMs, signal);
    current = await look();
    onProgress?.(current);
  }
  return current;
}

function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running';
}
