import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  DEFAULT_HOST_NAME,
  type ExportLinksQuery,
  hostOfFilter,
  type Link,
  type LinkList,
  type LinkSelection,
  type ListLinksQuery,
  searchTerms,
  withFields,
} from '@waymark/contract';
import type { HostsStore } from '../hosts/hosts.store.ts';
import { toLink } from '../links/link.ts';
import { LinkScope, type Sight } from '../links/link-scope.ts';
import { parseSearch, type Search } from '../search/search.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import type { LinkLists, LinkPage } from './link-lists.store.ts';
import type { LinkScans, ScannedLinks } from './link-scans.store.ts';
import { listNotice } from './list-notice.ts';

export interface ListsServiceDeps {
  lists: LinkLists;
  scans: LinkScans;
  shortUrls: Pick<ShortUrls, 'find'>;
  hosts: Pick<HostsStore, 'idsOf' | 'isOwn'>;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
}

const NO_LINKS: LinkPage = { links: [], total: 0, archived: 0, isCut: false };

/** The use cases of lists and searches, for an identity. Every method throws `unavailable` in an outage. */
export class ListsService {
  readonly #deps: ListsServiceDeps;

  constructor(deps: ListsServiceDeps) {
    this.#deps = deps;
  }

  /** Returns one page of the links. A page past the end is empty. */
  async list(identity: AccountIdentity, query: ListLinksQuery): Promise<LinkList> {
    const asked = this.#folded(query);
    const { q, page, per, duplicates } = asked;
    if (q !== undefined && duplicates !== undefined)
      throw new AppError('invalid', '"duplicates" cannot be combined with "q"; use another filter.');
    const search = await this.checkSearch(identity, q);
    const { links, total, archived, isCut }: LinkPage =
      search === null ? NO_LINKS : await this.#deps.lists.page(new LinkScope(identity), asked, search);
    const list = {
      links: withFields(
        links.map((link) => toLink(link, this.#deps.publicUrl)),
        query.fields,
      ),
      page,
      per,
      total,
      total_pages: Math.ceil(total / per),
    };
    const isHostKnown = total > 0 || (await this.#isHostKnown(identity, asked.host));
    return { ...list, ...listNotice(query, list, { archived, isCut, isHostKnown }) };
  }

  /** A name of the service itself as the filter `host` is that of the default host. */
  #folded<Query extends { host?: string }>(query: Query): Query {
    const name = query.host === undefined ? null : hostOfFilter(query.host);
    return name !== null && this.#deps.hosts.isOwn(name) ? { ...query, host: DEFAULT_HOST_NAME } : query;
  }

  async #isHostKnown({ accountId }: AccountIdentity, host: string | undefined): Promise<boolean> {
    const name = host === undefined ? null : hostOfFilter(host);
    return name === null || (await this.#deps.hosts.idsOf(accountId, [name])).size > 0;
  }

  /**
   * Parses `q` for the account of an identity. Returns null if no link can match.
   * @throws {AppError} `invalid` if it has too many different terms.
   */
  async checkSearch({ accountId }: Pick<AccountIdentity, 'accountId'>, q: string | undefined): Promise<Search | null> {
    return parseSearch(q, await this.#deps.shortUrls.find(accountId, searchTerms(q)));
  }

  /** Looks at the next links behind an id, and returns those that match the query. For work without a deadline. */
  async scan(sight: Sight, query: LinkSelection, after: string): Promise<ScannedLinks> {
    const search = await this.checkSearch(sight, query.q);
    if (search === null) return { ids: [], archived: 0, lastId: after, isLast: true };
    return this.#deps.scans.next(new LinkScope(sight), this.#folded(query), search, after);
  }

  /** Yields all links that match the query, oldest first, in pieces. */
  async *export(identity: AccountIdentity, query: Omit<ExportLinksQuery, 'format'>): AsyncGenerator<Link[]> {
    const search = await this.checkSearch(identity, query.q);
    if (search === null) return;
    for await (const links of this.#deps.lists.all(new LinkScope(identity), this.#folded(query), search))
      yield links.map((link) => toLink(link, this.#deps.publicUrl));
  }
}
