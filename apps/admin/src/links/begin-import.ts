import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Job } from '@waymark/contract';
import { type CallOptions, jobFromMessage } from '@waymark/proto';
import { AdminError } from '../admin-error.ts';
import { type Jobs, TRANSFER_MAX_MS } from '../connection.ts';

export interface ImportedFile {
  username: string;
  /** Its path. */
  file: string;
  /** The service that exported it, or `auto`. */
  format: string;
  /** The short host of rows that name none. Without it, the default host. */
  host: string | undefined;
  /** Its encoding. Without it, links-svc finds out. */
  charset: string | undefined;
}

export interface BegunImport {
  job: Job;
  /** The encoding that the file was read with, if it is neither UTF-8 nor `charset`, or empty. */
  guessedEncoding: string;
  unusedColumns: string[];
}

/**
 * Uploads a file to links-svc, piece by piece, and begins the job that imports its links.
 * @throws {AdminError} if there is no such file. {AppError} if links-svc refuses it; then no job has begun.
 */
export async function beginImport(jobs: Jobs, options: CallOptions, imported: ImportedFile): Promise<BegunImport> {
  const call = { ...options, timeoutMs: TRANSFER_MAX_MS };
  const { job, guessedEncoding, unusedColumns } = await jobs.importLinks(requestsOf(imported), call);
  return { job: jobFromMessage(job), guessedEncoding, unusedColumns };
}

async function* requestsOf({ username, file, format, host, charset }: ImportedFile) {
  yield { username, format, host, charset, name: basename(file) };
  try {
    for await (const piece of createReadStream(file)) yield { piece: piece as Buffer };
  } catch (error) {
    throw new AdminError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}
