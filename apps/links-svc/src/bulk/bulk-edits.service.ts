import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type BulkOperation,
  type BulkResult,
  failedResult,
  isHidden,
  LINK_NOT_FOUND_MESSAGE,
  UNAVAILABLE_MESSAGE,
  withLinkFields,
} from '@waymark/contract';
import { newLinkId } from '../database/ids.ts';
import type { DeletedLinksStore } from '../deletions/deleted-links.store.ts';
import type { IdempotencyStore } from '../idempotency/idempotency.store.ts';
import {
  type BulkIdempotencyDocument,
  bulkFingerprintOf,
  bulkPasswordsOf,
  IDEMPOTENCY_LIFETIME_MS,
  IDEMPOTENCY_REUSED_MESSAGE,
  idempotencyId,
} from '../idempotency/idempotency.ts';
import type { LinkCreations } from '../links/link-creations.service.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { LinksService } from '../links/links.service.ts';
import type { LinksStore } from '../links/links.store.ts';
import { hashPassword, verifyPassword } from '../passwords/passwords.ts';
import { performBulkEdit } from './bulk-edit.ts';

export interface BulkEditsDeps {
  service: LinksService;
  creations: LinkCreations;
  links: Pick<LinksStore, 'findMany'>;
  deletedLinks: Pick<DeletedLinksStore, 'has'>;
  idempotency: IdempotencyStore;
}

export interface BulkEditOptions {
  /** Called for every operation that failed on our side. */
  onFailure(error: AppError): void;
  idempotencyKey?: string | undefined;
  /** The names of the fields that the results show of each link. Default: all. */
  fields?: string | undefined;
}

type Operations = readonly (BulkOperation | AppError)[];

/** Longer than an edit can run: its request ends after 5 seconds, and one more operation of the database may follow. */
const RUN_MAX_MS = 10_000;
/** How long a repetition waits for the response of a request that still runs. */
const WAIT_MAX_MS = 4_000;
const POLL_EVERY_MS = 100;

/** The use case of many operations in one request. */
export class BulkEdits {
  readonly #deps: BulkEditsDeps;

  constructor(deps: BulkEditsDeps) {
    this.#deps = deps;
  }

  /**
   * Performs operations in order and returns their results. With an `Idempotency-Key`, a repetition within a day gets
   * the first results, even if the first request still runs or was interrupted.
   * @throws {AppError} `invalid` if the key was used with another body, `unavailable` if the first request runs too long.
   */
  async edit(identity: AccountIdentity, operations: Operations, options: BulkEditOptions): Promise<BulkResult[]> {
    return withLinkFields(await this.#edit(identity, operations, options), options.fields);
  }

  async #edit(identity: AccountIdentity, operations: Operations, options: BulkEditOptions): Promise<BulkResult[]> {
    // Sorted, so that links of one millisecond are listed in the order of their operations.
    const linkIds = operations.map(() => newLinkId(identity.accountId, Date.now())).sort();
    const { service, creations } = this.#deps;
    const edit = { service, creations, identity, operations, onFailure: options.onFailure };
    if (options.idempotencyKey === undefined) return performBulkEdit({ ...edit, linkIds });

    const { record, isFirst } = await this.#begin(
      identity,
      operations,
      linkIds,
      options.idempotencyKey,
      options.fields,
    );
    const wasDeleted = (id: string) => this.#deps.deletedLinks.has(new LinkScope(identity), id);
    const perform = async (repeats: boolean) =>
      this.#deps.idempotency.settle(
        record._id,
        await performBulkEdit({
          ...edit,
          linkIds: record.link_ids,
          ...(repeats && { wasDeleted }),
        }),
      );
    if (isFirst) return perform(false);
    const results = await this.#resultsOfOther(record);
    return results === null ? perform(true) : this.#withoutHidden(identity, results);
  }

  async #begin(
    identity: AccountIdentity,
    operations: Operations,
    link_ids: string[],
    key: string,
    fields: string | undefined,
  ) {
    const now = new Date();
    const passwords = bulkPasswordsOf(operations);
    const fingerprint = bulkFingerprintOf(operations, fields);
    const { record, isFirst } = await this.#deps.idempotency.begin<BulkIdempotencyDocument>(
      {
        _id: idempotencyId(identity.accountId, identity.scope, key),
        account_id: identity.accountId,
        fingerprint,
        password_hash: passwords === null ? null : await hashPassword(passwords, identity.accountId),
        link_ids,
        runs_until: new Date(now.getTime() + RUN_MAX_MS),
        expires_at: new Date(now.getTime() + IDEMPOTENCY_LIFETIME_MS),
      },
      now,
    );
    const isSame =
      isFirst ||
      (record.fingerprint === fingerprint &&
        (passwords === null ||
          record.password_hash === null ||
          (await verifyPassword(passwords, record.password_hash, identity.accountId))));
    if (!isSame) throw new AppError('invalid', IDEMPOTENCY_REUSED_MESSAGE);
    return { record, isFirst };
  }

  /**
   * Returns the results of the request that has the record, or null if it was interrupted. Then this one continues it.
   * @throws {AppError} `unavailable` if it runs for too long.
   */
  async #resultsOfOther(begun: BulkIdempotencyDocument): Promise<BulkResult[] | null> {
    let record = begun;
    for (const deadline = performance.now() + WAIT_MAX_MS; performance.now() < deadline; ) {
      if (record.answer !== undefined) return record.answer;
      const now = Date.now();
      if (record.runs_until.getTime() < now) {
        const takenOver = await this.#deps.idempotency.takeOver(record, new Date(now + RUN_MAX_MS));
        if (takenOver) return null;
      }
      await sleep(POLL_EVERY_MS);
      record = (await this.#deps.idempotency.find(begun._id)) ?? record;
    }
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
  }

  /** Replaces links that are now hidden from the caller. */
  async #withoutHidden(identity: AccountIdentity, results: BulkResult[]): Promise<BulkResult[]> {
    if (identity.scope === 'full_access') return results;
    const ids = results.flatMap(({ link }) => (link === undefined ? [] : [link.id]));
    const links = await this.#deps.links.findMany(new LinkScope({ ...identity, scope: 'full_access' }), ids);
    const hidden = new Set(links.filter(({ visibility }) => isHidden(visibility)).map(({ _id }) => _id));
    const notFound = failedResult(new AppError('not_found', LINK_NOT_FOUND_MESSAGE));
    return results.map((result) => (result.link !== undefined && hidden.has(result.link.id) ? notFound : result));
  }
}
