import Type, { type Static } from 'typebox';
import { nullableActor } from '../actor.ts';
import { csv } from '../csv.ts';
import { Link } from '../links/link.ts';
import { nullableTimestamp, oneOf, timestamp } from '../text.ts';

export const JOB_KINDS = ['edit', 'delete', 'import', 'undo'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export const JOB_STATES = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The longest title of a job, in code points. */
export const JOB_TITLE_MAX_LENGTH = 200;
/** How many jobs of an account may wait. */
export const JOBS_WAITING_MAX = 20;
/** How many jobs a list has at most. */
export const JOBS_LISTED_MAX = 1_000;
/** How many refusals of a job are kept. More are only counted. */
export const JOB_REFUSALS_MAX = 10_000;
/** How long a request that begins a job waits for its end. */
export const JOB_WAIT_MS = 4_000;

export const JOB_NOT_FOUND_MESSAGE = 'Job not found.';

/** Work on many links that runs on the server. */
export const Job = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the job.', examples: ['019a4f0e8f2c7d31a4c9'] }),
    kind: oneOf(JOB_KINDS, { description: 'What the job does.', examples: ['edit'] }),
    state: oneOf(JOB_STATES, {
      description: 'Where the job is. `failed`: it could not go on, and what it did stays.',
      examples: ['done'],
    }),
    dry_run: Type.Boolean({ description: 'True if the job only counts what it would do.', examples: [false] }),
    matched: count('Links that were found as the job began, or rows of an import.', 137),
    done: count('Those that the job has dealt with so far: the sum of the next five.', 137),
    created: count('Links that were created.', 0),
    changed: count('Links that were changed.', 130),
    deleted: count('Links that were deleted.', 0),
    unchanged: count('Links that were so already.', 5),
    refused: count('Links that were refused. `/refused` has the reasons of the first 10,000.', 2),
    title: Type.String({
      description: 'What the job does, in words, or the name of its file.',
      examples: ['#promo added to links with #spring'],
    }),
    actor: nullableActor('Who began the job. Null for a Public Links Only key.'),
    created_at: timestamp({ description: 'When the job was requested.', examples: ['2026-11-21T09:30:00.000Z'] }),
    finished_at: nullableTimestamp({ description: 'When the job was over.', examples: ['2026-11-21T09:30:02.250Z'] }),
    undo_until: nullableTimestamp({
      description: 'Until when the job can be undone, or null if it cannot be.',
      examples: ['2026-11-22T09:30:02.250Z'],
    }),
    format: Type.Optional(
      Type.String({
        description: 'Of an import: the service that exported the file; `auto` if only its columns are known.',
        examples: ['bitly'],
      }),
    ),
    encoding: Type.Optional(
      Type.String({ description: 'Of an import: the encoding that the file was read with.', examples: ['utf-8'] }),
    ),
    unused_columns: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of an import: the columns of the file that were not imported.',
        examples: [['Engagements']],
      }),
    ),
    notice: Type.Optional(
      Type.String({
        description:
          'What to know about the result: why the job failed, or how many archived links match its filter too. Absent if there is nothing to say.',
        examples: ['The key that began this job was revoked.'],
      }),
    ),
  },
  { additionalProperties: false, description: 'Work on many links that runs on the server.' },
);
export type Job = Static<typeof Job>;

/** How many refusals the tool `get_job` shows. */
export const SHOWN_REFUSALS = 20;
/** How many links a dry run keeps as examples. */
export const JOB_EXAMPLES_MAX = 5;

/** The result of the tool `get_job`. */
export const JobResult = Type.Object(
  {
    ...Job.properties,
    refusals: Type.Array(
      Type.Object(
        {
          id: Type.String({
            description: "The link's id, or the row of an import.",
            examples: ['019a4f0e8f2c7d31a4b6'],
          }),
          reason: Type.String({ description: 'Why it was refused.', examples: ['The link no longer exists.'] }),
        },
        { additionalProperties: false },
      ),
      { maxItems: SHOWN_REFUSALS, description: `The first ${SHOWN_REFUSALS} links or rows that were refused.` },
    ),
    examples: Type.Optional(
      Type.Array(Link, {
        maxItems: JOB_EXAMPLES_MAX,
        description: `Of a dry run: the first ${JOB_EXAMPLES_MAX} links that it would change or delete, as they are now.`,
      }),
    ),
  },
  { additionalProperties: false, description: 'A job, what it refused, and what a dry run would change.' },
);
export type JobResult = Static<typeof JobResult>;

/** The response of `GET /api/v1/jobs`. */
export const JobList = Type.Object(
  { jobs: Type.Array(Job, { description: 'The jobs of the last 30 days, newest first.' }) },
  { additionalProperties: false, description: 'Jobs of the account.' },
);
export type JobList = Static<typeof JobList>;

/** The id of a job in an argument. An unknown id is "not found". */
export const JobId = Type.String({ minLength: 1, maxLength: 64, description: 'Identifier of the job.' });

/** Returns true if a job is done, cancelled or failed. */
export function isOver(state: JobState): boolean {
  return state !== 'waiting' && state !== 'running';
}

function count(description: string, example: number) {
  return Type.Integer({ minimum: 0, description, examples: [example] });
}

/** Returns the first line of the CSV of what a job refused. */
export function refusedHeader(kind: JobKind): string {
  return csv([[kind === 'import' ? 'row' : 'id', 'reason']]);
}

/** Returns lines of the CSV of what a job refused: the row or the link's id, and the reason. */
export function refusedLines(rows: readonly (readonly [id: string, reason: string])[]): string {
  return csv(rows);
}
