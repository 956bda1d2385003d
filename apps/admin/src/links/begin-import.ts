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
}

export interface BegunImport {
  job: Job;
  /** The encoding that the file was read with, if it had to be guessed, or empty. */
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

async function* requestsOf({ username, file, format }: ImportedFile) {
  yield { username, format, name: basename(file) };
  try {
    for await (const piece of createReadStream(file)) yield { piece: piece as Buffer };
  } catch (error) {
    throw new AdminError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}
