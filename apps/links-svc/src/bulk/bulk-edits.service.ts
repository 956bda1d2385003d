import { type AccountIdentity, requireNeed } from '@waymark/auth';
import {
  type Action,
  AppError,
  BULK_BEGIN_WITHIN_MS,
  type BulkOperation,
  type BulkResult,
  failedResult,
  LINK_NOT_FOUND_MESSAGE,
  withLinkFields,
} from '@waymark/contract';
import { timeLeftMs } from '@waymark/service-kit';
import { allOf } from '../changes/all-of.ts';
import { type Change, withResult } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { newLinkId } from '../database/ids.ts';
import { bulkFingerprintOf, bulkPasswordsOf } from '../idempotency/idempotency.ts';
import type { IdempotentRequests } from '../idempotency/idempotent-requests.ts';
import { errorAsValue, errorAsValueSync } from '../links/error-as-value.ts';
import type { LinkCreations } from '../links/link-creations.service.ts';
import { fullSight, LinkScope } from '../links/link-scope.ts';
import type { LinkUpserts } from '../links/link-upserts.service.ts';
import type { LinksService } from '../links/links.service.ts';
import type { LinksStore } from '../links/links.store.ts';

export interface BulkEditsDeps {
  service: Pick<LinksService, 'prepareUpdate' | 'prepareDeletion'>;
  creations: Pick<LinkCreations, 'check' | 'prepare' | 'preview'>;
  upserts: Pick<LinkUpserts, 'prepare'>;
  links: Pick<LinksStore, 'findMany'>;
  changes: Pick<ChangeQueue, 'run'>;
  idempotency: IdempotentRequests;
  /** The clock, in milliseconds. */
  now(): number;
}

export interface BulkEditOptions {
  /** Called for every operation that failed on our side. */
  onFailure(error: AppError): void;
  idempotencyKey?: string | undefined;
  /** The names of the fields that the results show of each link. Default: all. */
  fields?: string | undefined;
}

/** What is left to the last operation and the transaction. */
const FINISH_MS = 1_000;

/** The actions that an operation needs. */
const NEEDS = {
  create: ['create'],
  update: ['update'],
  upsert: ['create', 'update'],
  delete: ['delete'],
} as const satisfies Record<BulkOperation['op'], readonly Action[]>;

type Operations = readonly (BulkOperation | AppError)[];

/** The use case of many operations in one request. */
export class BulkEdits {
  readonly #deps: BulkEditsDeps;

  constructor(deps: BulkEditsDeps) {
    this.#deps = deps;
  }

  /**
   * Performs operations in order, in one transaction, and returns their results. One that fails stops no other. With an
   * `Idempotency-Key`, a repetition within a day does those for which no time was left, and gets the first results of the
   * others.
   * @throws {AppError} `invalid` if the key was used with another body, `unavailable` in an outage.
   */
  async edit(identity: AccountIdentity, operations: Operations, options: BulkEditOptions): Promise<BulkResult[]> {
    const { idempotencyKey, fields } = options;
    const prepare = (done?: BulkResult[]) => this.#prepare(identity, operations, options, done);
    if (idempotencyKey === undefined) return this.#deps.changes.run(await prepare());
    const { answer, isFirst } = await this.#deps.idempotency.once(identity, {
      key: idempotencyKey,
      fingerprint: bulkFingerprintOf(operations, fields),
      password: bulkPasswordsOf(operations),
      prepare,
      isPartial: (results) => results.some(isLeft),
    });
    if ('error' in answer) throw new AppError(answer.error.code, answer.error.message);
    return isFirst ? answer.result : this.#withoutHidden(identity, answer.result);
  }

  /**
   * Prepares the operations, or those that are left: hashes passwords, and reads the pages for `auto_meta` together.
   * `done` are the results of an earlier request.
   */
  async #prepare(
    identity: AccountIdentity,
    operations: Operations,
    { onFailure, fields }: BulkEditOptions,
    done?: readonly BulkResult[],
  ): Promise<Change<BulkResult[]>> {
    const leftMs = timeLeftMs(BULK_BEGIN_WITHIN_MS + FINISH_MS) - FINISH_MS;
    const untilMs = performance.now() + Math.min(BULK_BEGIN_WITHIN_MS, leftMs);
    // Sorted, so that links of one millisecond are listed in the order of their operations.
    const ids = operations.map(() => newLinkId(identity.accountId, this.#deps.now())).sort();
    const started = operations.flatMap((operation, position) =>
      done === undefined || isLeft(done[position]!)
        ? [this.#start(identity, operation, ids[position]!, operations.slice(0, position))]
        : [],
    );
    const prepared: (Change<BulkResult> | AppError)[] = [];
    // One after the other: an account hashes one password at a time.
    for (const finish of started)
      prepared.push(
        await errorAsValue(async () => {
          if (performance.now() > untilMs) throw outOfTime();
          return finish();
        }),
      );
    for (const one of prepared) if (one instanceof AppError && one.httpStatus >= 500) onFailure(one);
    return allOf(identity.accountId, prepared, (outcomes) => {
      const results = outcomes.map((outcome) => (outcome instanceof AppError ? failedResult(outcome) : outcome));
      const shown = withLinkFields(results, fields);
      return done === undefined ? shown : done.map((result) => (isLeft(result) ? shown.shift()! : result));
    });
  }

  /** Begins to prepare an operation that comes after earlier ones, and returns a function that finishes it. */
  #start(
    identity: AccountIdentity,
    operation: BulkOperation | AppError,
    id: string,
    earlier: Operations,
  ): () => Promise<Change<BulkResult>> {
    const { service, creations, upserts } = this.#deps;
    if (operation instanceof AppError) return () => Promise.reject(operation);
    const lacking = errorAsValueSync(() => {
      for (const need of NEEDS[operation.op]) requireNeed(identity, need);
    });
    if (lacking instanceof AppError) return () => Promise.reject(lacking);
    switch (operation.op) {
      case 'create': {
        const { link: input } = operation;
        try {
          creations.check(identity, input);
        } catch (error) {
          return () => Promise.reject(error);
        }
        const preview = creations.preview(identity, input);
        return async () =>
          withResult(await creations.prepare({ id, identity, input, preview: await preview }), (link) => ({
            status: 201,
            link,
          }));
      }
      case 'update': {
        const update = { identity, name: operation.id, input: operation.link, isLater: earlier.length > 0 };
        return async () => withResult(await service.prepareUpdate(update), (link) => ({ status: 200, link }));
      }
      case 'upsert': {
        const slugMayBeFreed = earlier.some((one) => 'op' in one && (one.op === 'update' || one.op === 'delete'));
        const finish = upserts.prepare({ id, identity, input: operation.link, slugMayBeFreed });
        return async () => withResult(await finish(), ({ link, created }) => ({ status: created ? 201 : 200, link }));
      }
      case 'delete':
        return async () => withResult(await service.prepareDeletion(identity, operation.id), () => ({ status: 204 }));
    }
  }

  /** Replaces links that are now hidden from the caller. */
  async #withoutHidden(identity: AccountIdentity, results: BulkResult[]): Promise<BulkResult[]> {
    const scope = new LinkScope(identity);
    if (scope.seesAll) return results;
    const ids = results.flatMap(({ link }) => (link === undefined ? [] : [link.id]));
    const links = await this.#deps.links.findMany(new LinkScope(fullSight(scope.accountId)), ids);
    const hidden = new Set(links.filter((link) => !scope.shows(link)).map(({ _id }) => _id));
    const notFound = failedResult(new AppError('not_found', LINK_NOT_FOUND_MESSAGE));
    return results.map((result) => (result.link !== undefined && hidden.has(result.link.id) ? notFound : result));
  }
}

/** Returns true if the operation of this result was not done for want of time. */
function isLeft({ status }: BulkResult): boolean {
  return status === 503;
}

/** Returns the error of an operation for which no time was left. */
function outOfTime(): AppError {
  return new AppError(
    'unavailable',
    'The time of the request ended before this operation, which was not done; send it again.',
  );
}
