import type { LinkDocument } from '../links/link.ts';
import { newClaimId, type SlugDocument, type SlugHolder, slugDocument } from '../slugs/slug.ts';
import type { Collections } from './collections.ts';
import { duplicatePositions } from './database-errors.ts';
import { createdAtOfLinkId } from './ids.ts';
import { dropIndex, hasIndex, UNMOVED_SLUGS } from './indexes.ts';
import { BOUNDED, BOUNDED_FIND } from './operation-options.ts';

const LINKS_AT_A_TIME = 1_000;
const HOLDER = { projection: { account_id: 1, slug_key: 1 }, ...BOUNDED_FIND } as const;

type Moved = Pick<Collections, 'links' | 'slugs'>;

/**
 * Claims the slug of every link that an earlier version stored, and then removes the index that made slugs unique. After
 * an interruption it reads all links again, and claims the slugs that are left. Replicas may run it concurrently, even
 * while one that has finished serves.
 */
export async function moveSlugs({ links, slugs }: Moved, closing: AbortSignal): Promise<void> {
  if (!(await hasIndex(links, UNMOVED_SLUGS))) return;
  for (let after = ''; ; ) {
    closing.throwIfAborted();
    const found = await links
      .find<SlugHolder>({ _id: { $gt: after } }, HOLDER)
      .sort({ _id: 1 })
      .limit(LINKS_AT_A_TIME)
      .toArray();
    if (found.length === 0) break;
    after = found.at(-1)!._id;
    await claimAll({ links, slugs }, found);
  }
  await dropIndex(links, UNMOVED_SLUGS);
}

async function claimAll({ links, slugs }: Moved, found: readonly SlugHolder[]): Promise<void> {
  const wanted = found.map((link) => slugDocument(link, new Date(createdAtOfLinkId(link._id))));
  // After an interruption, most links have their claims. Reading them is faster than being refused.
  const keys = wanted.map(({ _id }) => _id);
  const claims = await slugs.find({ _id: { $in: keys } }, { projection: { account_id: 1 }, ...BOUNDED_FIND }).toArray();
  const ownerOf = new Map(claims.map(({ _id, account_id }) => [_id, account_id]));
  const missing = wanted.filter(({ _id }) => !ownerOf.has(_id));
  const refused = missing.length > 0 ? await insert(slugs, missing) : [];
  const foreign = wanted.filter(({ _id, account_id }) => ownerOf.has(_id) && ownerOf.get(_id) !== account_id);
  if (refused.length + foreign.length > 0) await correct({ links, slugs }, [...refused, ...foreign]);
}

/** Inserts claims, and returns those whose slugs have one already. */
async function insert(slugs: Moved['slugs'], claims: readonly SlugDocument[]): Promise<SlugDocument[]> {
  try {
    await slugs.insertMany(claims, { ordered: false, ...BOUNDED });
    return [];
  } catch (error) {
    return [...duplicatePositions(error)].map((position) => claims[position]!);
  }
}

/**
 * Corrects claims of other accounts. There are some if an earlier version served again after slugs were moved: it moves
 * a slug to another account without its claim.
 */
async function correct({ links, slugs }: Moved, wanted: readonly SlugDocument[]): Promise<void> {
  const existing = await slugs.find({ _id: { $in: wanted.map(({ _id }) => _id) } }, BOUNDED_FIND).toArray();
  const byKey = new Map(existing.map((claim) => [claim._id, claim]));
  for (const { _id, account_id, link_id } of wanted) {
    const claim = byKey.get(_id);
    if (claim === undefined || claim.account_id === account_id) continue;
    // The link is read after the claim, so that a claim is not corrected that followed a deletion of the link.
    const link = await links.findOne<Pick<LinkDocument, '_id'>>({ _id: link_id, account_id, slug_key: _id }, HOLDER);
    if (link === null) continue;
    // A new id and time, so that nobody removes the claim as one that was abandoned.
    const use = { account_id, link_id, claim_id: newClaimId(), claimed_at: new Date() };
    await slugs.updateOne({ _id, claim_id: claim.claim_id }, { $set: { ...use, shared: true } }, BOUNDED);
  }
}
