import type { ListLinksQuery } from '@waymark/contract';
import type { Document, Filter, Sort } from 'mongodb';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { isLinkId } from '../database/ids.ts';
import type { DerivedFields, LinkDocument, LinkFields } from './link.ts';
import type { LinkScope } from './link-scope.ts';
import { parseSearch } from './search.ts';

/** A stored link without what only the database reads. */
export type StoredLink = Omit<LinkDocument, 'search_text'>;

/** All clicks of a link so far. */
export interface LinkTotals {
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

export interface LinkPage {
  links: StoredLink[];
  /** Links in all pages. */
  total: number;
}

const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
const STORED_LINK = { projection: { search_text: 0 }, ...BOUNDED };
const MATCHES_NOTHING = { links: [], total: 0 } satisfies LinkPage;

/** What each sort reads. Ids are in the order of `created_at`, and no two links have the same slug key. */
const SORTS: Record<ListLinksQuery['sort'], (direction: 1 | -1) => Sort> = {
  created_at: (direction) => ({ _id: direction }),
  updated_at: (direction) => ({ updated_at: direction, _id: direction }),
  title: (direction) => ({ title_key: direction, _id: direction }),
  slug: (direction) => ({ slug_key: direction }),
  clicks: (direction) => ({ clicks: direction, _id: direction }),
};

/** The only caller of the database for links. Every method throws `unavailable` in an outage. */
export class LinksStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a link; false where its id or its slug is taken. */
  async insert(link: LinkDocument): Promise<boolean> {
    try {
      await this.#database.run(() => this.#database.links.insertOne(link, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** The link of this id, or null where none exists in the scope. */
  async find(scope: LinkScope, id: string): Promise<LinkDocument | null> {
    if (!isLinkId(id)) return null;
    return this.#database.run(() => this.#database.links.findOne(scope.one(id), BOUNDED));
  }

  /** The links of these ids that exist in the scope, in no order. */
  async findMany(scope: LinkScope, ids: readonly string[]): Promise<StoredLink[]> {
    const valid = ids.filter(isLinkId);
    if (valid.length === 0) return [];
    return this.#database.run(() => this.#database.links.find<StoredLink>(scope.some(valid), STORED_LINK).toArray());
  }

  /**
   * Writes fields, and all that is derived from them, to the revision of the link that they were made from. Gives the
   * link as it is now; null where the scope has no such link, or it has another revision; `taken` where the slug is
   * another link's.
   */
  async update(
    scope: LinkScope,
    { _id, revision }: Pick<LinkDocument, '_id' | 'revision'>,
    fields: Partial<LinkFields> & DerivedFields & { updated_at: Date },
  ): Promise<StoredLink | null | 'taken'> {
    try {
      return await this.#database.run(() =>
        this.#database.links.findOneAndUpdate(
          { ...scope.one(_id), revision },
          { $set: fields, $inc: { revision: 1 }, $currentDate: { changed_at: true } },
          { returnDocument: 'after', ...STORED_LINK },
        ),
      );
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /** Removes the link and gives what it was; null where none exists in the scope. */
  async delete(scope: LinkScope, id: string): Promise<StoredLink | null> {
    return this.#database.run(() => this.#database.links.findOneAndDelete(scope.one(id), STORED_LINK));
  }

  /** One page of the links of the scope, and how many there are in all. */
  async list(scope: LinkScope, { q, page, per, sort, dir }: ListLinksQuery): Promise<LinkPage> {
    const search = parseSearch(q);
    if (search.kind === 'none') return MATCHES_NOTHING;
    const matching = search.kind === 'pattern' ? { search_text: { $regex: search.pattern } } : {};
    const skip = (page - 1) * per;
    const links = await this.#database.run(() =>
      this.#database.links
        .find<StoredLink>({ ...(sort === 'created_at' ? scope.byId() : scope.byAccount()), ...matching }, STORED_LINK)
        .sort(SORTS[sort](dir === 'asc' ? 1 : -1))
        .skip(skip)
        .limit(per)
        .toArray(),
    );
    // A page that is not full is the last one, and tells the total without a count.
    if (links.length < per && (links.length > 0 || page === 1)) return { links, total: skip + links.length };
    // Without a search a public key's links are counted in an index; all else is fastest as a range of ids.
    const counted = { ...(search.kind === 'all' && scope.publicOnly ? scope.byAccount() : scope.byId()), ...matching };
    const total = await this.#database.run(() => this.#database.links.countDocuments(counted, BOUNDED));
    return { links, total: links.length > 0 ? Math.max(total, skip + links.length) : total };
  }

  /** The ids of the links of the scope's account that a Public Links Only key must not see. */
  async hiddenIds(scope: LinkScope): Promise<string[]> {
    return this.#ids({ account_id: scope.accountId, hidden: true });
  }

  /** The ids of up to `limit` links of the scope. */
  async someIds(scope: LinkScope, limit: number): Promise<string[]> {
    return this.#ids(scope.byId(), limit);
  }

  /** Removes the links of these ids that exist in the scope. */
  async deleteMany(scope: LinkScope, ids: readonly string[]): Promise<void> {
    await this.#database.run(() => this.#database.links.deleteMany(scope.some(ids), BOUNDED));
  }

  /** Writes absolute totals of clicks, never lowering one; links that are gone are passed over. */
  async applyTotals(totals: readonly LinkTotals[]): Promise<void> {
    if (totals.length === 0) return;
    await this.#database.run(() =>
      this.#database.links.bulkWrite(
        totals.map(({ linkId, clicks, lastClickedAt }) => ({
          updateOne: { filter: { _id: linkId }, update: { $max: { clicks, last_clicked_at: lastClickedAt } } },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }

  async #ids(filter: Filter<LinkDocument>, limit = 0): Promise<string[]> {
    const ids = await this.#database.run(() =>
      this.#database.links.find<Pick<Document, '_id'>>(filter, { projection: { _id: 1 }, limit, ...BOUNDED }).toArray(),
    );
    return ids.map(({ _id }) => _id as string);
  }
}
