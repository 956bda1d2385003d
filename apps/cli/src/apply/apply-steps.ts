import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type components, newKey } from '@waymark/client';
import { interrupted } from '../interruption.ts';
import type { Fault } from './links-file.ts';
import type { Step } from './plan.ts';

type Operation = components['schemas']['BulkOperation'];
type Result = components['schemas']['BulkResult'];

export interface Outcome {
  created: number;
  changed: number;
  deleted: number;
  /** What the API found to be as the file says. */
  unchanged: number;
  refused: Fault[];
}

/** The most operations in a request. */
const OPERATIONS_MAX = 100;
/** A request may have 256 KiB. */
const OPERATIONS_MAX_BYTES = 240 * 1024;
/** How often operations are sent again that the server had no time for. */
const REPETITIONS = 5;
const PAUSE_MS = 1_000;

/**
 * Does the steps in few requests. Deletions come last, and only if nothing was refused. Ctrl-C stops it between two
 * requests; the same file does the rest later. `onProgress` gets the number of steps that are done.
 */
export async function applySteps(
  client: Client,
  steps: readonly Step[],
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { created: 0, changed: 0, deleted: 0, unchanged: 0, refused: [] };
  const deletions = steps.filter(({ action }) => action === 'delete');
  let done = 0;
  for (const part of [steps.filter(({ action }) => action !== 'delete'), deletions]) {
    if (outcome.refused.length > 0) break;
    for (const chunk of chunksOf(part)) {
      if (interrupted.aborted) return outcome;
      const results = await send(client, chunk.map(operationOf));
      results.forEach((result, index) => {
        note(outcome, chunk[index]!, result);
      });
      done += chunk.length;
      onProgress(done);
    }
  }
  return outcome;
}

/** Sends operations, and again those that the server had no time for. */
async function send(client: Client, operations: Operation[]): Promise<Result[]> {
  const headers = { 'idempotency-key': newKey() };
  const body = { operations, fields: 'updated_at' };
  for (let repetitions = 0; ; repetitions++) {
    const { results } = await client.post('/api/v1/links/bulk', { headers, body });
    const isComplete = results.every(({ status }) => status !== 503);
    if (isComplete || repetitions === REPETITIONS || interrupted.aborted) return results;
    await sleep(PAUSE_MS);
  }
}

function operationOf(step: Step): Operation {
  switch (step.action) {
    // Not an upsert: a link that somebody else made meanwhile stays theirs.
    case 'create':
      return { op: 'create', link: step.link } as Operation;
    case 'change':
      return { op: 'upsert', link: step.link } as Operation;
    case 'delete':
      return { op: 'delete', id: step.before.id };
  }
}

function note(outcome: Outcome, step: Step, { status, link, error = `status ${status}` }: Result): void {
  if (step.action === 'delete') {
    // It may be gone already.
    if (status === 204 || status === 404) outcome.deleted += 1;
    else outcome.refused.push({ line: 1, error: `${step.before.short_url} is not deleted: ${error}` });
  } else if (status >= 300) outcome.refused.push({ line: step.line, error });
  else if (status === 201) outcome.created += 1;
  else if (step.action === 'change' && link?.updated_at === step.before.updated_at) outcome.unchanged += 1;
  else outcome.changed += 1;
}

function* chunksOf(steps: readonly Step[]): Generator<Step[]> {
  let chunk: Step[] = [];
  let bytes = 0;
  for (const step of steps) {
    const size = Buffer.byteLength(JSON.stringify(operationOf(step))) + 1;
    if (chunk.length === OPERATIONS_MAX || (chunk.length > 0 && bytes + size > OPERATIONS_MAX_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(step);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
