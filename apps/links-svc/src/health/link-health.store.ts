import { VISIBILITIES } from '@waymark/contract';
import type { ClientSession } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { StoredHealth } from '../database/documents/destination.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { BOUNDED } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { stateOf } from '../links/indexed-values.ts';
import { healthFields } from '../links/link-health.ts';

/** A link, as its health needs it. */
export type CheckedLink = Pick<LinkDocument, '_id' | 'destination_url' | 'health' | 'reported_broken'>;

const STATES = VISIBILITIES.flatMap((visibility) => [stateOf(visibility, false), stateOf(visibility, true)]);
const PROJECTION = { destination_url: 1, health: 1, reported_broken: 1 } as const;
const PIECE_SIZE = 1_000;

/** Reads and writes the health of links. It is no change of a link. Every method throws `unavailable` in an outage. */
export class LinkHealthStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Yields the links of an account that were clicked since then, in pieces. */
  clickedSince(account_id: string, since: Date): AsyncGenerator<CheckedLink[]> {
    const find = (session: ClientSession) =>
      this.#database.collections.links.find<CheckedLink>(
        { account_id, state: { $in: STATES }, last_clicked_at: { $gt: since } },
        { projection: PROJECTION, session },
      );
    return readInPieces(this.#database, find, { size: PIECE_SIZE });
  }

  /** Writes the health of links of an account that still have the destination. */
  async write(
    account_id: string,
    links: readonly (CheckedLink & { found: StoredHealth | undefined })[],
  ): Promise<void> {
    if (links.length === 0) return;
    await this.#database.run(() =>
      this.#database.collections.links.bulkWrite(
        links.map(({ _id, destination_url, found }) => ({
          updateOne: { filter: { _id, account_id, destination_url }, update: updateOf(found) },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }
}

function updateOf(found: StoredHealth | undefined) {
  const { health, broken } = healthFields(found);
  if (health === undefined) return { $unset: { health: '', broken: '' } as const };
  return broken ? { $set: { health, broken } } : { $set: { health }, $unset: { broken: '' } as const };
}
