import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/database.ts';
import type { EventDocument } from '../../src/database/documents/event.ts';
import type { LinkDocument, LinkFields } from '../../src/database/documents/link.ts';
import { newLinkId } from '../../src/database/ids.ts';
import { eventId } from '../../src/events/event.ts';
import { derivedFields, NEVER_CLICKED } from '../../src/links/link.ts';
import { DEFAULT_HOST } from '../../src/links/link-host.ts';
import { fieldsToCreate } from '../../src/links/link-input.ts';

export type SeededLink = Partial<LinkFields> & Partial<LinkDocument>;

/** Returns the document of a link with these fields, created at this time unless they say another one. */
export function documentOf(accountId: string, link: SeededLink, createdAt: Date, id?: string): LinkDocument {
  const times = { created_at: createdAt, updated_at: createdAt, last_clicked_at: NEVER_CLICKED };
  const _id = id ?? newLinkId(accountId, (link.created_at ?? createdAt).getTime());
  const fields: LinkFields = {
    ...fieldsToCreate({}, { destination_url: 'https://example.com/' }, DEFAULT_HOST, null),
    slug: `S-${_id.slice(-14)}`,
    ...link,
  };
  const document = { clicks: 0, ...times, ...link, ...fields, ...derivedFields(fields), _id, account_id: accountId };
  return document as LinkDocument;
}

/** A link before and after a change. Null if there is none. */
export interface LinkChange {
  before: LinkDocument | null;
  after: LinkDocument | null;
}

/** Inserts documents, in parts: a database that is busy with one statement for seconds looks like an outage. */
export async function inParts<Item>(items: readonly Item[], insert: (part: Item[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 250) await insert(items.slice(at, at + 250));
}

const SYSTEM = { kind: 'system', scope: null, hint: null, name: null } as const;

/**
 * Writes links, the account's counts and revision and its log, as changes through the API do, but whatever the links
 * are. Nobody else may change the account meanwhile.
 */
export async function writeLinks(
  { collections: { links, accounts, events } }: Pick<Database, 'collections'>,
  accountId: string,
  changes: readonly LinkChange[],
): Promise<void> {
  const account = await accounts.findOne({ _id: accountId });
  const counts: Record<string, number> = { ...account?.counts };
  let { revision, change_id } = account ?? { revision: 0, change_id: '' };
  const log: EventDocument[] = [];
  for (const { before, after } of changes) {
    if (before !== null) counts[before.state]! -= 1;
    if (after !== null) counts[after.state] = (counts[after.state] ?? 0) + 1;
    revision += 1;
    change_id = randomUUID();
    log.push({
      _id: eventId(accountId, revision),
      account_id: accountId,
      change_id,
      type: before === null ? 'link.created' : after === null ? 'link.deleted' : 'link.updated',
      actor: SYSTEM,
      data: {},
      link_id: (after ?? before)!._id,
      seen_by: [],
      created_at: new Date(),
      expires_at: new Date(Date.now() + 3_600_000),
    });
  }
  const created = changes.flatMap(({ before, after }) => (before === null ? (after ?? []) : []));
  await inParts(created, (part) => links.insertMany(part));
  for (const { before, after } of changes) {
    if (before === null) continue;
    const { _id, account_id } = before;
    if (after === null) await links.deleteOne({ _id, account_id });
    else await links.updateOne({ _id, account_id }, { $set: withoutId(after) });
  }
  await inParts(log, (part) => events.insertMany(part));
  await accounts.updateOne({ _id: accountId }, { $set: { counts, revision, change_id } }, { upsert: true });
}

function withoutId({ _id, ...fields }: LinkDocument): Omit<LinkDocument, '_id'> {
  return fields;
}
