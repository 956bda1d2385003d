import { isDeepStrictEqual } from 'node:util';
import { normalizeHashtags } from '@waymark/contract';
import type { Collection } from 'mongodb';
import { DERIVED_FIELDS_VERSION, derivedFields, type LinkDocument, NEVER_CLICKED } from '../links/link.ts';
import { BOUNDED, BOUNDED_FIND } from './operation-options.ts';

/** The record of an upgrade of stored documents. */
export interface UpgradeDocument {
  _id: string;
  version: number;
}

const DERIVED_FIELDS = 'derived_fields';
const LINKS_AT_A_TIME = 200;

/**
 * Derives the fields of every stored link again if an older version of `derivedFields` made them, and records the new
 * version. Replicas may run this concurrently and serve requests meanwhile: a link that is updated in between keeps the
 * fields of its update. A replica of an older version that still runs afterwards writes links in its own form.
 */
export async function upgradeLinks(
  { links, upgrades }: { links: Collection<LinkDocument>; upgrades: Collection<UpgradeDocument> },
  closing: AbortSignal,
): Promise<void> {
  const done = await upgrades.findOne({ _id: DERIVED_FIELDS }, BOUNDED);
  if (done !== null && done.version >= DERIVED_FIELDS_VERSION) return;
  for (let after = ''; ; ) {
    closing.throwIfAborted();
    const found = await links
      .find({ _id: { $gt: after } }, BOUNDED_FIND)
      .sort({ _id: 1 })
      .limit(LINKS_AT_A_TIME)
      .toArray();
    if (found.length === 0) break;
    after = found.at(-1)!._id;
    const changes = found.flatMap((link) => {
      const { _id, account_id, revision } = link;
      const hashtags = normalizeHashtags(link.hashtags);
      const fields = { hashtags, ...derivedFields({ ...link, hashtags }) };
      // Separately, because the totals of clicks change without a new revision.
      const clicked = {
        filter: { _id, account_id, last_clicked_at: null as never },
        update: { $set: { last_clicked_at: NEVER_CLICKED } },
      };
      return [
        ...(isDeepStrictEqual({ ...link, ...fields }, link)
          ? []
          : [
              {
                updateOne: {
                  filter: { _id, account_id, revision },
                  update: { $set: fields, $currentDate: { changed_at: true as const } },
                },
              },
            ]),
        ...(link.last_clicked_at === null ? [{ updateOne: clicked }] : []),
      ];
    });
    if (changes.length > 0) await links.bulkWrite(changes, { ordered: false, ...BOUNDED });
  }
  const version = DERIVED_FIELDS_VERSION;
  await upgrades.updateOne({ _id: DERIVED_FIELDS }, { $max: { version } }, { upsert: true, ...BOUNDED });
}
