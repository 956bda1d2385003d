import type { Db } from 'mongodb';
import type { AccountDocument } from '../../../apps/links-svc/src/database/documents/account.ts';
import type { LinkDocument } from '../../../apps/links-svc/src/database/documents/link.ts';
import type { RedirectDocument } from '../../../apps/links-svc/src/database/documents/redirect.ts';
import { newLinkId } from '../../../apps/links-svc/src/database/ids.ts';
import { derivedFields, NEVER_CLICKED } from '../../../apps/links-svc/src/links/link.ts';
import { redirectId } from '../../../apps/links-svc/src/slugs/redirect-id.ts';
import type { HttpTarget } from '../http-target.ts';

/** A link that was loaded. */
export interface LoadedLink {
  id: string;
  slug: string;
  destinationUrl: string;
}

const PER_INSERT = 1_000;
/** Words of the titles, descriptions and notes. */
export const WORDS =
  'alpha bravo summer winter price report shop video ticket release guide offer music garden river'.split(' ');
/** A word in the title of every link. */
export const COMMON_TERM = 'campaign';

/**
 * Inserts links of about 1 KB into an account, with their redirects and the account's counts, directly into MongoDB, in
 * the form that links-svc stores. Their creation times are one minute apart, the last one a minute ago. Returns them in
 * that order.
 */
export async function loadLinks(database: Db, accountId: string, count: number) {
  const links = database.collection<LinkDocument>('links');
  const redirects = database.collection<RedirectDocument>('redirects');
  const loaded: LoadedLink[] = [];
  const now = Date.now();
  for (let from = 0; from < count; from += PER_INSERT) {
    const documents = Array.from({ length: Math.min(PER_INSERT, count - from) }, (_, index) =>
      linkDocument(accountId, from + index, now - (count - from - index) * 60_000),
    );
    await redirects.insertMany(documents.map(redirectDocument), { ordered: false });
    await links.insertMany(documents, { ordered: false });
    for (const { _id, slug, destination_url } of documents)
      loaded.push({ id: _id, slug, destinationUrl: destination_url });
  }
  await logChange(database, accountId, { counts: { public: count } });
  return loaded;
}

/** Records a change that was written directly, without an event: as if it had expired, so texts are loaded again. */
export async function logChange(database: Db, accountId: string, fields: Partial<AccountDocument> = {}): Promise<void> {
  const accounts = database.collection<AccountDocument>('accounts');
  const { revision = 0 } = (await accounts.findOne({ _id: accountId })) ?? {};
  const changed = { $set: { changed_at: new Date(), ...fields, revision: revision + 1 } };
  await accounts.updateOne({ _id: accountId }, changed, { upsert: true });
}

function redirectDocument(link: LinkDocument): RedirectDocument {
  const { slug, account_id, destination_url, visibility, password_hash, expires_at, expired_url } = link;
  const fields = { destination_url, visibility, password_hash, expires_at, expired_url };
  return { _id: redirectId(null, slug), link_id: link._id, account_id, ...fields };
}

/** Returns a word that occurs only in the title of the link with this number. */
export function rareTerm(number: number): string {
  return `number${number}x`;
}

function linkDocument(accountId: string, number: number, createdAtMs: number): LinkDocument {
  const word = (step: number) => WORDS[(number * 7 + step * step) % WORDS.length]!;
  const words = (length: number) => Array.from({ length }, (_, step) => word(step)).join(' ');
  const fields = {
    slug: `s${number.toString(36)}`,
    destination_url: `https://example.com/${word(1)}/${word(2)}?item=${number}`,
    title: `${word(3)} ${COMMON_TERM} ${rareTerm(number)}`,
    description: words(20),
    note: words(40),
    hashtags: [word(4), word(5)].filter((tag, index, tags) => tags.indexOf(tag) === index),
    visibility: 'public' as const,
    password_hash: null,
    expires_at: null,
    expired_url: null,
    host: null,
    host_id: null,
    archived: false,
  };
  const createdAt = new Date(createdAtMs);
  return {
    _id: newLinkId(accountId, createdAtMs),
    account_id: accountId,
    ...fields,
    ...derivedFields(fields),
    clicks: 0,
    last_clicked_at: NEVER_CLICKED,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

const HIDING_CONCURRENCY = 8;

/** Makes links private through the API. */
export async function hideLinks(
  { gateway, keyHeaders }: { gateway: HttpTarget; keyHeaders: { authorization: string } },
  links: readonly LoadedLink[],
) {
  const left = [...links];
  await Promise.all(
    Array.from({ length: HIDING_CONCURRENCY }, async () => {
      for (let link = left.pop(); link !== undefined; link = left.pop())
        await gateway.send({
          method: 'PUT',
          path: `/api/v1/links/${link.id}`,
          headers: keyHeaders,
          json: { visibility: 'private' },
        });
    }),
  );
}
