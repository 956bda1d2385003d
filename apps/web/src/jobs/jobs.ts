import { useQuery } from '@tanstack/preact-query';
import type { components } from '../api/api.gen.ts';
import { api, dataOf } from '../api/client.ts';

/** Work on many links that runs on the server. */
export type Job = components['schemas']['Job'];
export type JobList = components['schemas']['JobList'];
export type JobInput = components['schemas']['JobInput'];
export type JobFilter = components['schemas']['JobFilter'];
export type JobChange = components['schemas']['JobChange'];

export const JOBS_KEY = ['jobs'];
const POLL_MS = 1_000;

/** Returns true if a job has ended, in one way or another. */
export function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'waiting' && state !== 'running';
}

/** Returns true if a job can be undone now. */
export function isUndoable({ undo_until }: Job): boolean {
  return undo_until !== null && Date.parse(undo_until) > Date.now();
}

/** Loads the jobs of the account, newest first, again and again while one of them is not over. */
export function useJobs() {
  return useQuery({
    queryKey: JOBS_KEY,
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/jobs', { signal })),
    refetchInterval: ({ state }) => (state.data?.jobs.every(isOver) === false ? POLL_MS : false),
    // Others begin jobs, too.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });
}

/** Begins a job. It may be over when this returns. */
export function startJob(body: JobInput, key: string): Promise<Job> {
  return dataOf(api.POST('/api/v1/jobs', { params: { header: { 'Idempotency-Key': key } }, body }));
}

export function cancelJob(id: string): Promise<Job> {
  return dataOf(api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id } } }));
}

/** Begins the job that undoes another one. */
export function undoJob(id: string, key: string): Promise<Job> {
  const params = { path: { id }, header: { 'Idempotency-Key': key } };
  return dataOf(api.POST('/api/v1/jobs/{id}/undo', { params }));
}

/** Returns the CSV of what a job refused. */
export function readRefused(id: string, signal: AbortSignal): Promise<string> {
  const init = { params: { path: { id } }, parseAs: 'text', signal } as const;
  return dataOf(api.GET('/api/v1/jobs/{id}/refused', init)) as Promise<string>;
}
