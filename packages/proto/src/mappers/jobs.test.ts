import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { checkJobInput, type Job, JobChange, JobFilter, type JobInput } from '@waymark/contract';
import { expect, test } from 'vitest';
import { JobSchema, StartJobRequestSchema } from '../gen/jobs/v1/jobs_pb.ts';
import { jobFromMessage, jobInput, jobToMessage, startJobRequest } from './jobs.ts';

const JOB: Job = {
  id: 'j',
  kind: 'edit',
  state: 'running',
  dry_run: false,
  matched: 2 ** 40,
  done: 6,
  created: 1,
  changed: 2,
  deleted: 0,
  unchanged: 3,
  refused: 0,
  title: '#promo added to links with #spring',
  actor: { kind: 'key', scope: 'full_access', hint: '…x9Kd', name: null },
  created_at: '2026-11-21T09:30:00.001Z',
  finished_at: null,
  undo_until: null,
};
const OVER: Job = { ...JOB, finished_at: '2026-11-21T09:30:02.250Z', undo_until: '2026-11-22T09:30:02.250Z' };
const FAILED: Job = { ...OVER, state: 'failed', notice: 'The key that began this job was revoked.' };

const IMPORT: Job = { ...JOB, kind: 'import', format: 'dub', encoding: 'utf-8', unused_columns: [] };
const OF_PUBLIC_KEY: Job = { ...JOB, actor: null };

/** Returns the input as the other side receives it. */
const sent = (input: JobInput) =>
  jobInput(fromBinary(StartJobRequestSchema, toBinary(StartJobRequestSchema, startJobRequest(input))));

interface Example {
  examples?: unknown[];
  enum?: unknown[];
  properties?: Record<string, Example>;
}
const exampleOf = ({ examples, enum: values, properties }: Example): unknown =>
  properties === undefined
    ? (examples ?? values ?? ['x'])[0]
    : Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));

test.each([JOB, OVER, FAILED, OF_PUBLIC_KEY, IMPORT, { ...IMPORT, unused_columns: ['a', 'b'] }])(
  'a job is unchanged by the round trip',
  (job) => {
    expect(jobFromMessage(fromBinary(JobSchema, toBinary(JobSchema, jobToMessage(job))))).toEqual(job);
  },
);

test('a response without its job is an "internal" error', () => {
  expect(() => jobFromMessage(undefined)).toThrow(expect.objectContaining({ code: 'internal' }));
});

test('every filter and every field of a change is unchanged by the round trip', () => {
  const { all, ids, ...filter } = exampleOf(JobFilter as Example) as Record<string, unknown>;
  const change = exampleOf(JobChange as Example);
  for (const dry_run of [false, true]) {
    const input = checkJobInput({ kind: 'edit', filter, change, matched_max: 0, dry_run });
    expect(sent(input)).toEqual(input);
    const byIds = checkJobInput({ kind: 'edit', filter: { ids }, change, dry_run });
    expect(sent(byIds)).toEqual(byIds);
  }
  const { kind, dry_run } = checkJobInput({ kind: 'delete', filter: { all } });
  expect(sent({ kind, filter: { all: true }, dry_run } as JobInput)).toEqual({ kind, filter: { all }, dry_run });
});

test('a change distinguishes null, empty and not sent', () => {
  for (const change of [{}, { title: null, hashtags: [] }, { title: '', expires_at: null }])
    expect(sent({ kind: 'edit', filter: { all: true }, change, dry_run: false })).toMatchObject({ change });
});
