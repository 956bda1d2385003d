import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, CreateLinkInput, validatorIgnoringNull } from '@waymark/contract';
import { type LinkFile, type LinkFileRow, readLinkFile } from '@waymark/link-files';
import { type CallOptions, createLinkRequest, timeToMessage } from '@waymark/proto';
import { AdminError } from '../admin-error.ts';
import type { Links } from '../connection.ts';

export interface ImportTotals {
  /** Rows that were read, without empty ones. */
  rows: number;
  created: number;
  /** Links that the account already had. */
  existing: number;
  refused: number;
}

export interface ImportReporter {
  /** Called for every row that was not taken. */
  onRefusal(line: number, reason: string): void;
  /** Called after each batch. */
  onProgress(totals: ImportTotals): void;
}

interface Entry {
  line: number;
  input: CreateLinkInput;
  createdAt: Date | undefined;
}

const checkCreate = validatorIgnoringNull(CreateLinkInput);

const BATCH_SIZE = 200;
const CONCURRENT_BATCHES = 2;
const TRIES = 5;
const PAUSE_MS = 1_000;

/**
 * Imports the links of a file into an account. Holds a few batches of rows at a time. Repeating an import changes
 * nothing, so an interrupted one can simply be repeated.
 * @throws {AdminError} if there is no such file. {AppError} `invalid` if it is not understood, or `unavailable` if
 * links-svc does not respond for several seconds.
 */
export async function importLinks(
  links: Links,
  callOptions: () => Promise<CallOptions>,
  { username, file }: { username: string; file: string },
  reporter: ImportReporter,
): Promise<{ totals: ImportTotals; source: LinkFile }> {
  const totals: ImportTotals = { rows: 0, created: 0, existing: 0, refused: 0 };
  const refuse = (line: number, reason: string) => {
    totals.refused += 1;
    reporter.onRefusal(line, reason);
  };
  const send = async (batch: readonly Entry[]) => {
    const { results } = await retried(async () =>
      links.importLinks(
        {
          username,
          links: batch.map(({ input, createdAt }) => ({
            link: createLinkRequest(input),
            ...(createdAt !== undefined && { createdAt: timeToMessage(createdAt) }),
          })),
        },
        await callOptions(),
      ),
    );
    for (const [position, { created, error }] of results.entries()) {
      if (error !== '') refuse(batch[position]!.line, error);
      else if (created) totals.created += 1;
      else totals.existing += 1;
    }
    reporter.onProgress(totals);
  };
  const running = new Set<Promise<void>>();
  const start = async (batch: readonly Entry[]) => {
    if (running.size >= CONCURRENT_BATCHES) await Promise.race(running);
    const one = send(batch).finally(() => running.delete(one));
    // The failure is reported by the race or at the end.
    one.catch(() => {});
    running.add(one);
  };

  const source = await readLinkFile(bytesOf(file));
  const batch: Entry[] = [];
  let lastRow = 0;
  try {
    for await (const read of source.rows) {
      try {
        batch.push(entryOf(read));
      } catch (error) {
        refuse(read.row, (error as Error).message);
      }
      // A row may have several links.
      if (read.row !== lastRow) totals.rows += 1;
      lastRow = read.row;
      if (batch.length === BATCH_SIZE) await start(batch.splice(0));
    }
  } finally {
    // Also if the rest of the file cannot be read.
    if (batch.length > 0) await start(batch);
    await Promise.all(running);
  }
  return { totals, source };
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file);
  } catch (error) {
    throw new AdminError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}

/** @throws {Error} if the row cannot be taken. */
function entryOf(read: LinkFileRow): Entry {
  if ('error' in read) throw new Error(read.error);
  const { created_at, ...input } = read.link;
  const createdAt = created_at === undefined ? undefined : new Date(created_at);
  return { line: read.row, input: checkCreate(input), createdAt };
}

/** Repeats a call that failed because links-svc or its database did not respond. */
async function retried<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !(error instanceof AppError) || error.httpStatus !== 503) throw error;
      await sleep(PAUSE_MS * tries);
    }
  }
}
