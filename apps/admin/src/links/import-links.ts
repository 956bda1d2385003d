import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, CreateLinkInput, validatorIgnoringNull } from '@waymark/contract';
import { type CallOptions, createLinkRequest, timeToMessage } from '@waymark/proto';
import type { Links } from '../connection.ts';
import { readRows } from './read-rows.ts';
import { linkOfRow } from './row.ts';

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
 * @throws {AdminError} if the file cannot be read. {AppError} if links-svc does not respond for several seconds.
 */
export async function importLinks(
  links: Links,
  callOptions: () => Promise<CallOptions>,
  { username, file }: { username: string; file: string },
  reporter: ImportReporter,
): Promise<ImportTotals> {
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

  const batch: Entry[] = [];
  for await (const read of readRows(file)) {
    const { line } = read;
    try {
      if ('error' in read) throw new Error(read.error);
      const link = linkOfRow(read.row);
      if (link === null) continue;
      batch.push({ line, input: checkCreate(link.input), createdAt: link.createdAt });
    } catch (error) {
      refuse(line, (error as Error).message);
    }
    totals.rows += 1;
    if (batch.length === BATCH_SIZE) await start(batch.splice(0));
  }
  if (batch.length > 0) await start(batch);
  await Promise.all(running);
  return totals;
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
