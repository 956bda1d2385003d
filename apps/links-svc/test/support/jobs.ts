import type { AccountIdentity } from '@waymark/auth';
import type { Job, JobList } from '@waymark/contract';
import { expect, onTestFinished, vi } from 'vitest';
import { partId } from '../../src/jobs/job.ts';
import { type Answer, type Service, signer } from './service.ts';

export type JobAnswer = Answer<Job & { error: string }>;

/** The counts of a job that dealt with no link. */
const NONE = { created: 0, changed: 0, deleted: 0, unchanged: 0, refused: 0 };

/** Returns what the counts of a job are to be, with 0 for those that are missing. */
export function counts(expected: Partial<typeof NONE>) {
  const done = Object.values(expected).reduce((sum, count) => sum + count, 0);
  return { ...NONE, ...expected, done };
}

/**
 * Makes jobs wait before they read the part of this position, or a later one, so that they run until the returned function
 * is called.
 */
export function holdAt(position: number, { database }: Service): () => void {
  const { jobParts } = database.collections;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const findOne = jobParts.findOne.bind(jobParts);
  const spy = vi.spyOn(jobParts, 'findOne').mockImplementation(async (...args: unknown[]) => {
    const [{ _id }, options] = args as [{ _id: string }, object];
    if (_id.slice(_id.indexOf(':')) >= partId('', position)) await released;
    return findOne({ _id }, options);
  });
  const goOn = () => {
    release();
    spy.mockRestore();
  };
  onTestFinished(goOn);
  return goOn;
}

/** Uses jobs over REST, as an identity. */
export class JobsClient {
  readonly service: Service;
  readonly identity: AccountIdentity;

  constructor(service: Service, identity: AccountIdentity) {
    this.service = service;
    this.identity = identity;
  }

  start(body: object, headers: Record<string, string> = {}): Promise<JobAnswer> {
    return this.service.request(this.identity, 'POST', '/api/v1/jobs', { body, headers });
  }

  /** Uploads a file. `query` has no question mark. */
  async import(file: string | Uint8Array, query = '', headers: Record<string, string> = {}): Promise<JobAnswer> {
    const response = await fetch(`${this.service.origin}/api/v1/jobs/import?${query}`, {
      method: 'POST',
      headers: { 'x-waymark-identity': await signer.mint(this.identity), 'content-type': 'text/csv', ...headers },
      body: file as Uint8Array<ArrayBuffer>,
    });
    return { status: response.status, body: await response.json(), headers: response.headers } as never;
  }

  /** Uploads a file that takes its time. */
  async importStream(body: ReadableStream, signal: AbortSignal): Promise<unknown> {
    return fetch(`${this.service.origin}/api/v1/jobs/import`, {
      method: 'POST',
      headers: { 'x-waymark-identity': await signer.mint(this.identity), 'content-type': 'text/csv' },
      body,
      signal,
      duplex: 'half',
    });
  }

  /** Imports a file that is to be accepted, and returns the job once it is over. */
  async runImport(file: string | Uint8Array, query = '', headers: Record<string, string> = {}): Promise<Job> {
    const { status, body } = await this.import(file, query, headers);
    expect(status, body.error).toBe(202);
    return this.over(body.id);
  }

  get(id: string): Promise<JobAnswer> {
    return this.service.request(this.identity, 'GET', `/api/v1/jobs/${id}`);
  }

  list(): Promise<Answer<JobList>> {
    return this.service.request(this.identity, 'GET', '/api/v1/jobs');
  }

  cancel(id: string): Promise<JobAnswer> {
    return this.service.request(this.identity, 'POST', `/api/v1/jobs/${id}/cancel`);
  }

  undo(id: string, headers: Record<string, string> = {}): Promise<JobAnswer> {
    return this.service.request(this.identity, 'POST', `/api/v1/jobs/${id}/undo`, { headers });
  }

  /** Returns the lines of the CSV of what a job refused, without the header. */
  async refused(id: string, expectedHeader = 'id,reason'): Promise<string[]> {
    const response = await fetch(`${this.service.origin}/api/v1/jobs/${id}/refused`, {
      headers: { 'x-waymark-identity': await signer.mint(this.identity) },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    const [header, ...lines] = (await response.text()).split('\r\n');
    expect([header, lines.pop()]).toEqual([expectedHeader, '']);
    return lines;
  }

  /** Returns a job once it is over. */
  async over(id: string): Promise<Job> {
    await expect.poll(async () => (await this.get(id)).body.finished_at).not.toBeNull();
    return (await this.get(id)).body;
  }

  /** Starts a job that is to be accepted, and returns it once it is over. */
  async run(body: object): Promise<Job> {
    return this.#accepted(await this.start(body));
  }

  /** Undoes a job that can be undone, and returns the undo once it is over. */
  async runUndo(id: string): Promise<Job> {
    return this.#accepted(await this.undo(id));
  }

  async #accepted({ status, body }: JobAnswer): Promise<Job> {
    expect([200, 202], body.error).toContain(status);
    expect(status === 200).toBe(body.finished_at !== null);
    return this.over(body.id);
  }
}
