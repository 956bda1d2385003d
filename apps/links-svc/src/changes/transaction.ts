import { AppError, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import type { ClientSession, Collection, Filter } from 'mongodb';
import type { Collections } from '../database/collections.ts';
import type { Database } from '../database/database.ts';
import { onShortHost } from '../database/documents/link.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { LogPosition } from '../events/event.ts';
import { AccountDraft, Documents } from './account-draft.ts';
import type { Change, ChangeReads } from './change.ts';
import { decideEach } from './decide-each.ts';
import type { DraftDocuments, Identified } from './draft-documents.ts';

/** Thrown if another transaction changed an account, or its jobs, meanwhile. */
export class RevisionTaken extends Error {
  override readonly name = 'RevisionTaken';
}

/** What became of a change: its result, or the error with which it refused itself. */
export type Outcome = { result: unknown } | { error: AppError };

/** The result of a transaction. */
export interface Committed {
  /** What became of each change, in their order. */
  outcomes: Outcome[];
  /** The redirects that were created, changed or removed. */
  redirectIds: string[];
  /** Where the logs of the accounts stood before, and where they stand after. */
  positions: { accountId: string; before: LogPosition; after: LogPosition }[];
}

/**
 * Runs changes in one transaction: reads what they look at, decides each in order, and writes what differs. Either all of
 * it is written or nothing.
 * @throws what the database throws, {@link RevisionTaken} if another transaction changed an account meanwhile, and what a
 *   change throws that is no {@link AppError}.
 */
export function runChanges(database: Database, changes: readonly Change<unknown>[], now: Date): Promise<Committed> {
  return database.transaction(async (session, collections) => {
    const accounts = await readAccounts(collections, changes, session);
    const documents = await readDocuments(collections, changes, session);
    const drafts = new Map(accounts.map((account) => [account._id, new AccountDraft(account, documents, now)]));
    const outcomes = decideEach(documents.undo, changes, (change) => decide(change, drafts.get(change.accountId))).map(
      (outcome): Outcome => (outcome instanceof AppError ? { error: outcome } : outcome),
    );
    const changed = [...drafts.values()];
    await write(collections, changed, documents, session);
    const redirectIds = changed.flatMap(({ events }) => events.flatMap(({ redirect_ids }) => redirect_ids ?? []));
    return { outcomes, redirectIds, positions: changed.map((draft) => draft.positions) };
  });
}

function readAccounts({ accounts }: Collections, changes: readonly Change<unknown>[], session: ClientSession) {
  const ids = [...new Set(changes.map(({ accountId }) => accountId))];
  return accounts.find({ _id: { $in: ids } }, { session, ...BOUNDED_FIND }).toArray();
}

async function readDocuments(
  collections: Collections,
  changes: readonly Change<unknown>[],
  session: ClientSession,
): Promise<Documents> {
  const reads = changes.map((change) => change.reads());
  const documents = new Documents();
  const accountIds = [...new Set(changes.map(({ accountId }) => accountId))];
  const ids = (name: Exclude<keyof ChangeReads, 'linksOfRedirects'>) =>
    new Set(reads.flatMap((one) => one[name] ?? []));
  const find = async <Document extends Identified>(
    collection: Collection<Document>,
    wanted: ReadonlySet<string>,
    filter: object = {},
  ): Promise<Document[]> => {
    if (wanted.size === 0) return [];
    const query = { _id: { $in: [...wanted] }, ...filter } as unknown as Filter<Document>;
    return (await collection.find(query, { session, ...BOUNDED_FIND }).toArray()) as Document[];
  };

  const load = async <Document extends Identified>(
    name: Parameters<typeof ids>[0],
    collection: Collection<Document>,
    loaded: DraftDocuments<Document>,
  ) => {
    const wanted = ids(name);
    loaded.load(wanted, await find(collection, wanted));
  };

  const redirectIds = ids('redirects');
  const redirects = await find(collections.redirects, redirectIds);
  documents.redirects.load(redirectIds, redirects);
  const linkIds = ids('links');
  const linkIdOf = new Map(redirects.map(({ _id, link_id }) => [_id, link_id]));
  // Also those of other accounts, which are not found: a slug must not take longer because it leads to a hidden link.
  for (const one of reads)
    if (one.linksOfRedirects)
      for (const id of one.redirects ?? []) if (linkIdOf.has(id)) linkIds.add(linkIdOf.get(id)!);
  documents.links.load(linkIds, await find(collections.links, linkIds, { account_id: { $in: accountIds } }));
  await load('idempotency', collections.idempotency, documents.idempotency);
  await load('sessions', collections.sessions, documents.sessions);
  await load('hosts', collections.hosts, documents.hosts);
  const names = [...ids('verifiedHosts')];
  if (names.length > 0) {
    const filter = { host: { $in: names }, status: 'verified' as const };
    const verified = await collections.hosts.find(filter, { session, ...BOUNDED_FIND }).toArray();
    for (const host of verified) documents.hosts.know(host);
  }
  for (const [at, { linksOfHosts = [] }] of reads.entries()) {
    for (const host of linksOfHosts) {
      const filter = { account_id: changes[at]!.accountId, host: onShortHost(host) };
      if ((await collections.links.findOne(filter, { session, projection: { _id: 1 }, ...BOUNDED })) !== null)
        documents.usedHosts.add(host);
    }
  }
  await load('releasedHosts', collections.releasedHosts, documents.releasedHosts);
  await load('passkeys', collections.passkeys, documents.passkeys);
  await load('jobQueues', collections.jobQueues, documents.jobQueues);
  await load('jobs', collections.jobs, documents.jobs);
  await load('jobParts', collections.jobParts, documents.jobParts);
  return documents;
}

function decide(change: Change<unknown>, draft: AccountDraft | undefined): { result: unknown } {
  if (draft === undefined || (draft.account.deleting_at !== undefined && change.evenIfDeleting !== true))
    throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
  return { result: change.decide(draft) };
}

/** Writes in one order everywhere, the accounts first: so two transactions of one account wait for no third document. */
async function write(
  collections: Collections,
  drafts: readonly AccountDraft[],
  {
    redirects,
    links,
    deletedLinks,
    idempotency,
    sessions,
    hosts,
    releasedHosts,
    passkeys,
    jobQueues,
    jobs,
    jobParts,
    jobUndo,
  }: Documents,
  session: ClientSession,
): Promise<void> {
  const options = { session, ...BOUNDED };
  const byId = ({ _id }: Identified) => ({ _id });
  const run = async <Document extends Identified>(
    collection: Collection<Document>,
    writes: Parameters<Collection<Document>['bulkWrite']>[0],
  ) => (writes.length === 0 ? null : collection.bulkWrite(writes, options));

  const accounts = drafts.map((draft) => draft.write()).filter((one) => one !== null);
  const written = await run(collections.accounts, accounts);
  if (written !== null && written.matchedCount < accounts.length) throw new RevisionTaken();
  const queues = jobQueues.writes(({ _id, revision }) => ({ _id, revision }));
  const { insertedCount = 0, matchedCount = 0, deletedCount = 0 } = (await run(collections.jobQueues, queues)) ?? {};
  if (insertedCount + matchedCount + deletedCount < queues.length) throw new RevisionTaken();
  await run(collections.redirects, redirects.writes(byId));
  await run(
    collections.links,
    links.writes(({ _id, account_id }) => ({ _id, account_id })),
  );
  await run(collections.deletedLinks, deletedLinks.writes(byId));
  await run(collections.idempotency, idempotency.writes(byId));
  await run(collections.sessions, sessions.writes(byId));
  await run(collections.hosts, hosts.writes(byId));
  await run(collections.releasedHosts, releasedHosts.writes(byId));
  await run(collections.passkeys, passkeys.writes(byId));
  await run(collections.jobs, jobs.writes(byId));
  await run(collections.jobParts, jobParts.writes(byId));
  await run(collections.jobUndo, jobUndo.writes(byId));
  const events = drafts.flatMap((draft) => draft.events);
  if (events.length > 0) await collections.events.insertMany([...events], options);
}
