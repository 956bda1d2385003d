import { createHash } from 'node:crypto';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  IMPORT_MAX_ROWS,
  IMPORT_PREVIEW_ROWS,
  type ImportPreview,
  JOB_REFUSALS_MAX,
  type Job,
} from '@waymark/contract';
import {
  type FileHosts,
  type LinkFile,
  type LinkFileRow,
  type ReadOptions,
  RowError,
  readLinkFile,
} from '@waymark/link-files';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { StoredRow } from '../database/documents/job.ts';
import { newJobId } from '../database/ids.ts';
import { SYSTEM } from '../events/actor.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { jobFingerprintOf } from '../idempotency/idempotency.ts';
import { storedRow } from '../jobs/import-row.ts';
import { PART_SIZE, partId, RESULTS_LIFETIME_MS } from '../jobs/job.ts';
import { importTitleOf } from '../jobs/job-title.ts';
import type { JobsService } from '../jobs/jobs.service.ts';
import type { JobsStore } from '../jobs/jobs.store.ts';
import { tryRows } from '../jobs/row-items.ts';
import { chooseHost, linkHostOf } from '../links/link-host.ts';
import type { LinksStore } from '../links/links.store.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';

export interface ImportsServiceDeps {
  jobs: Pick<JobsService, 'requireRoom' | 'startImport'>;
  store: Pick<JobsStore, 'addPart' | 'deleteRest'>;
  links: Pick<LinksStore, 'idsOfImportedRows'>;
  hosts: Pick<HostsStore, 'listOf' | 'idsOf' | 'isOwn'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** An import that has begun. */
export interface BegunImport extends Pick<LinkFile, 'encoding' | 'unusedColumns'> {
  job: Job;
}

/** How to read a file. */
export interface ImportedFile extends ReadOptions {
  /** The host of rows that name none. */
  host?: string;
  /** Its name, if it is known. */
  name?: string;
}

/** Parts with long rows have fewer of them. */
const PART_MAX_CHARACTERS = 256 * 1_024;
const TOO_MANY_ROWS = `The file has more than ${IMPORT_MAX_ROWS.toLocaleString('en')} rows; split it into smaller files.`;

/** The use case of importing a file of links (ADR 54). */
export class ImportsService {
  readonly #deps: ImportsServiceDeps;

  constructor(deps: ImportsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Reads a file, stores its rows, and begins the job that creates their links. Holds a few rows at a time. With an
   * `Idempotency-Key`, a repetition within a day gets the same job.
   * @throws {AppError} `invalid` if the file is not understood or too long, or the account does not have `host`,
   *   `rate_limited` if too many jobs wait, and what `bytes` throws. Then nothing has begun, except maybe after
   *   `unavailable`.
   */
  async start(
    identity: AccountIdentity,
    bytes: AsyncIterable<Uint8Array>,
    { name, ...options }: ImportedFile = {},
    idempotencyKey?: string,
  ): Promise<BegunImport> {
    const { jobs } = this.#deps;
    await jobs.requireRoom(identity);
    const { accountId } = identity;
    const hosts = await this.#fileHosts(accountId, options.host);
    const id = newJobId(accountId, this.#deps.now());
    const hash = createHash('sha256');
    try {
      const file = await readLinkFile(hashing(bytes, hash), options, hosts);
      const stored = await this.#store(accountId, id, file.rows);
      const { format, encoding, unusedColumns } = file;
      const started = {
        ...stored,
        id,
        title: importTitleOf(name, format),
        file: { format, encoding, unused_columns: [...unusedColumns] },
        fingerprint: jobFingerprintOf({ kind: 'import', ...options, file: hash.digest('base64url') }),
      };
      const job = await jobs.startImport(identity, started, idempotencyKey);
      // A repetition got the first job.
      if (job.id !== id) await this.#discard(id);
      return { job, encoding, unusedColumns };
    } catch (error) {
      // If the database did not answer, the job may have begun. An index deletes its parts if it has not.
      if (!(error instanceof AppError && error.httpStatus >= 500)) await this.#discard(id);
      throw error;
    }
  }

  /**
   * Reads a file, and returns its first rows as an import would understand them, and why it would refuse them. Creates
   * nothing.
   * @throws {AppError} `invalid` if the file is not understood or too long, or the account does not have `host`, and what
   *   `bytes` throws.
   */
  async preview(
    identity: AccountIdentity,
    bytes: AsyncIterable<Uint8Array>,
    options: ImportedFile = {},
  ): Promise<ImportPreview> {
    const file = await readLinkFile(bytes, options, await this.#fileHosts(identity.accountId, options.host));
    const now = new Date(this.#deps.now());
    const stored: StoredRow[] = [];
    for await (const read of bounded(file.rows))
      if (stored.length < IMPORT_PREVIEW_ROWS) stored.push(storedRow(read, now));
    const rows = await this.#tried(identity, stored, now);
    // Only the whole file tells its encoding, and a JSON file its columns.
    const { format, columns, encoding, unusedColumns } = file;
    return {
      format,
      columns: { ...columns },
      rows: rows.map((row) => shownRow(row, now)),
      ...(encoding !== 'utf-8' && { encoding }),
      ...(unusedColumns.length > 0 && { unused_columns: [...unusedColumns] }),
    };
  }

  /** Returns the rows, those that an import would refuse with the reason. */
  async #tried(
    { accountId, scope, key }: AccountIdentity,
    rows: readonly StoredRow[],
    now: Date,
  ): Promise<StoredRow[]> {
    if (rows.length === 0) return [];
    // Nothing is written, so it does not matter who acts.
    const job = {
      account_id: accountId,
      scope,
      ...(key !== undefined && { key }),
      actor: SYSTEM,
      created_at: now,
      matched: rows.length,
    };
    const reasons = await this.#deps.changes.run(await tryRows(rows, job, this.#deps));
    return rows.map((stored, position) => {
      const error = reasons[position]!;
      return error === null ? stored : { row: stored.row, error };
    });
  }

  /** Returns what the names of hosts in a file mean for the account. */
  async #fileHosts(accountId: string, host: string | undefined): Promise<FileHosts> {
    const { hosts } = this.#deps;
    const unnamed = linkHostOf(await chooseHost(hosts, accountId, host)).host;
    const statuses = new Map((await hosts.listOf(accountId)).map((one) => [one.host, one.status]));
    return {
      unnamed,
      find(name) {
        if (hosts.isOwn(name)) return null;
        const status = statuses.get(name);
        if (status === undefined || status === 'verified') return status && name;
        throw new RowError(`The host ${name} is ${status}; verify it, and import the row again.`);
      },
    };
  }

  /** Stores rows as the parts of a job. */
  async #store(
    account_id: string,
    jobId: string,
    read: AsyncIterable<LinkFileRow>,
  ): Promise<{ parts: number; rows: number }> {
    const now = new Date(this.#deps.now());
    const expires_at = new Date(now.getTime() + RESULTS_LIFETIME_MS);
    let parts = 0;
    let before = 0;
    let list: StoredRow[] = [];
    let characters = 0;
    let errors = 0;
    let unlisted = 0;
    const store = async () => {
      const rows = { list, unlisted, before };
      const part = { _id: partId(jobId, parts), account_id, ids: [], rows, refused: [], expires_at };
      await this.#deps.store.addPart(part);
      parts += 1;
      before += list.length + unlisted;
      list = [];
      characters = 0;
      unlisted = 0;
    };
    for await (const one of bounded(read)) {
      const row = storedRow(one, now);
      if ('error' in row && ++errors > JOB_REFUSALS_MAX) {
        unlisted += 1;
        continue;
      }
      list.push(row);
      characters += JSON.stringify(row).length;
      if (list.length === PART_SIZE || characters >= PART_MAX_CHARACTERS) await store();
    }
    if (list.length + unlisted > 0) await store();
    return { parts, rows: before };
  }

  /** Removes the parts of a job that does not begin. What cannot be removed, an index deletes. */
  async #discard(_id: string): Promise<void> {
    await this.#deps.store.deleteRest({ _id, position: 0 }).catch(() => {});
  }
}

/** @throws {AppError} `invalid` if there are more rows than a file may have. */
async function* bounded(rows: AsyncIterable<LinkFileRow>): AsyncGenerator<LinkFileRow> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count > IMPORT_MAX_ROWS) throw new AppError('invalid', TOO_MANY_ROWS);
    yield row;
  }
}

async function* hashing(bytes: AsyncIterable<Uint8Array>, hash: { update(piece: Uint8Array): unknown }) {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}

function shownRow(stored: StoredRow, now: Date): ImportPreview['rows'][number] {
  if ('error' in stored) return stored;
  const { input, created_at } = stored.link;
  if (created_at === null) return { row: stored.row, link: input };
  return { row: stored.row, link: { ...input, created_at: (created_at > now ? now : created_at).toISOString() } };
}
