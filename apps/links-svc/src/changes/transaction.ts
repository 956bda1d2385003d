import { AppError, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import type { ClientSession, Collection, Filter } from 'mongodb';
import type { Collections } from '../database/collections.ts';
import type { Database, Transaction } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import { onShortHost } from '../database/documents/link.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { type CollectionWrites, DocumentMissed, writesTo } from '../database/write-all.ts';
import type { LogPosition } from '../events/event.ts';
import { AccountDraft, Documents } from './account-draft.ts';
import { type Change, type ChangeReads, RepeatChange } from './change.ts';
import { decideEach } from './decide-each.ts';
import type { DraftDocuments, Identified } from './draft-documents.ts';
import type { KnownAccounts } from './known-accounts.ts';

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

export interface TransactionsOptions {
  database: Database;
  knownAccounts: KnownAccounts;
  /** How long the events are kept. */
  eventsLifetimeMs: number;
}

/**
 * Runs changes in one transaction: reads what they look at, decides each in order, and writes what differs. Either all of
 * it is written or nothing. An account that is known is not read: if its write does not prove that it was right, nothing is
 * done, and the repetition reads it.
 * @throws what the database throws, {@link DocumentMissed} if another transaction changed an account meanwhile,
 *   {@link RepeatChange} if an account may not be as it was known, and what a change throws that is no {@link AppError}.
 */
export async function runChanges(
  { database, knownAccounts, eventsLifetimeMs }: TransactionsOptions,
  changes: readonly Change<unknown>[],
  now: Date,
): Promise<Committed> {
  const known = knownAccounts.take(new Set(changes.map(({ accountId }) => accountId)));
  const trusted = [...known.values()].filter(({ isOwn }) => isOwn).map(({ account }) => account);
  try {
    const { outcomes, drafts } = await database.transaction((transaction) =>
      runInTransaction(
        transaction,
        changes,
        trusted,
        (account, documents) => new AccountDraft(account, documents, now, eventsLifetimeMs),
      ),
    );
    for (const draft of drafts) if (draft.isWritten) knownAccounts.add(draft, known.get(draft.before._id));
    const redirectIds = drafts.flatMap(({ events }) => events.flatMap(({ redirect_ids }) => redirect_ids ?? []));
    return { outcomes, redirectIds, positions: drafts.map((draft) => draft.positions) };
  } catch (error) {
    if (trusted.length > 0 && (error instanceof DocumentMissed || isDuplicateKey(error)))
      throw new RepeatChange('an account is not as it was known', { cause: error });
    throw error;
  }
}

async function runInTransaction(
  { session, collections, writeAll }: Transaction,
  changes: readonly Change<unknown>[],
  trusted: readonly AccountDocument[],
  draftOf: (account: AccountDocument, documents: Documents) => AccountDraft,
): Promise<{ outcomes: Outcome[]; drafts: AccountDraft[] }> {
  const accounts = [...trusted, ...(await readAccounts(collections, changes, trusted, session))];
  // Transactions of several accounts wait for one another in one order.
  accounts.sort((a, b) => (a._id < b._id ? -1 : 1));
  const documents = await readDocuments(collections, changes, session);
  const drafts = new Map(accounts.map((account) => [account._id, draftOf(account, documents)]));
  const outcomes = decideEach(documents.undo, changes, (change) => decide(change, drafts.get(change.accountId))).map(
    (outcome): Outcome => (outcome instanceof AppError ? { error: outcome } : outcome),
  );
  if (trusted.some(({ _id }) => !drafts.get(_id)!.isWritten))
    throw new RepeatChange('no write proves that an account is as it was known');
  await writeAll(allWrites(collections, [...drafts.values()], documents));
  return { outcomes, drafts: [...drafts.values()] };
}

function readAccounts(
  { accounts }: Collections,
  changes: readonly Change<unknown>[],
  trusted: readonly AccountDocument[],
  session: ClientSession,
): Promise<AccountDocument[]> {
  const ids = new Set(changes.map(({ accountId }) => accountId));
  for (const { _id } of trusted) ids.delete(_id);
  return ids.size === 0
    ? Promise.resolve([])
    : accounts.find({ _id: { $in: [...ids] } }, { session, ...BOUNDED_FIND }).toArray();
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
  await load('linkExpiries', collections.linkExpiries, documents.linkExpiries);
  await load('clickLimits', collections.clickLimits, documents.clickLimits);
  await load('idempotency', collections.idempotency, documents.idempotency);
  await load('savedFilters', collections.savedFilters, documents.savedFilters);
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
  await load('webhooks', collections.webhooks, documents.webhooks);
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

/**
 * Returns all writes, in one order everywhere, the accounts first: so two transactions of one account wait for no third
 * document.
 */
function allWrites(
  collections: Collections,
  drafts: readonly AccountDraft[],
  documents: Documents,
): CollectionWrites[] {
  const byId = ({ _id }: Identified) => ({ _id });
  const events = drafts.flatMap((draft) => draft.events);
  return [
    writesTo(
      collections.accounts,
      drafts.map((draft) => draft.write()).filter((one) => one !== null),
      true,
    ),
    writesTo(
      collections.jobQueues,
      documents.jobQueues.writes(({ _id, revision }) => ({ _id, revision })),
      true,
    ),
    writesTo(collections.redirects, documents.redirects.writes(byId)),
    writesTo(
      collections.links,
      documents.links.writes(({ _id, account_id }) => ({ _id, account_id })),
    ),
    writesTo(collections.clickLimits, documents.clickLimits.writes(byId)),
    writesTo(collections.linkExpiries, documents.linkExpiries.writes(byId)),
    writesTo(collections.deletedLinks, documents.deletedLinks.writes(byId)),
    writesTo(collections.idempotency, documents.idempotency.writes(byId)),
    writesTo(collections.savedFilters, documents.savedFilters.writes(byId)),
    writesTo(collections.sessions, documents.sessions.writes(byId)),
    writesTo(collections.hosts, documents.hosts.writes(byId)),
    writesTo(collections.releasedHosts, documents.releasedHosts.writes(byId)),
    writesTo(collections.passkeys, documents.passkeys.writes(byId)),
    writesTo(collections.webhooks, documents.webhooks.writes(byId)),
    writesTo(collections.jobs, documents.jobs.writes(byId)),
    writesTo(collections.jobParts, documents.jobParts.writes(byId)),
    writesTo(collections.jobUndo, documents.jobUndo.writes(byId)),
    writesTo(
      collections.events,
      events.map((document) => ({ insertOne: { document } })),
    ),
  ];
}
