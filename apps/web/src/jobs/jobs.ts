import { useQuery } from '@tanstack/preact-query';
import type { Sent } from '@waymark/client';
import type { Job } from '@waymark/contract';
import { api, apiResponse } from '../api/client.ts';
import { serverNow } from '../api/server-clock.ts';

export const JOBS_KEY = ['jobs'];
const POLL_MS = 1_000;

/** Returns true if a job has ended, in one way or another. */
export function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running';
}

/** Returns true if a job can be undone now. */
export function isUndoable({ undo_until }: Job): boolean {
  return undo_until !== null && Date.parse(undo_until) > serverNow().getTime();
}

/** Loads the jobs of the account, newest first, again and again while one of them is not over. */
export function useJobs() {
  return useQuery({
    queryKey: JOBS_KEY,
    queryFn: ({ signal }) => api('GET /api/v1/jobs', { signal }),
    refetchInterval: ({ state }) => (state.data?.jobs.every(isOver) === false ? POLL_MS : false),
    // Others begin jobs, too.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });
}

/** The body of a job. */
export type NewJob = Sent<'POST /api/v1/jobs'>['body'];

/** Begins a job. It may be over when this returns. */
export function startJob(body: NewJob, key: string): Promise<Job> {
  return api('POST /api/v1/jobs', { headers: { 'Idempotency-Key': key }, body });
}

export function cancelJob(id: string): Promise<Job> {
  return api('POST /api/v1/jobs/{id}/cancel', { path: { id } });
}

/** Begins the job that undoes another one. */
export function undoJob(id: string, key: string): Promise<Job> {
  return api('POST /api/v1/jobs/{id}/undo', { path: { id }, headers: { 'Idempotency-Key': key } });
}

/** Returns the CSV of what a job refused. */
export async function readRefused(id: string, signal: AbortSignal): Promise<string> {
  return (await apiResponse('GET /api/v1/jobs/{id}/refused', { path: { id }, signal })).text();
}
