import type { AccountIdentity } from '@waymark/auth';
import {
  type ExportLinksQuery,
  type Link,
  type LinkList,
  type LinkSelection,
  type ListLinksQuery,
  withFields,
} from '@waymark/contract';
import { toLink } from '../links/link.ts';
import { LinkScope } from '../links/link-scope.ts';
import { parseSearch } from '../search/search.ts';
import type { LinkLists } from './link-lists.ts';

export interface ListsServiceDeps {
  lists: LinkLists;
  /** The beginning of every short URL, without a slash at the end. */
  publicUrl: string;
}

/** The use cases of lists and searches, for an identity. Every method throws `unavailable` in an outage. */
export class ListsService {
  readonly #deps: ListsServiceDeps;

  constructor(deps: ListsServiceDeps) {
    this.#deps = deps;
  }

  /** Returns one page of the links. A page past the end is empty. */
  async list(identity: AccountIdentity, query: ListLinksQuery): Promise<LinkList> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    const { links, total } =
      search === null ? { links: [], total: 0 } : await this.#deps.lists.page(new LinkScope(identity), query, search);
    return {
      links: withFields(
        links.map((link) => toLink(link, this.#deps.publicUrl)),
        query.fields,
      ),
      page: query.page,
      per: query.per,
      total,
      total_pages: Math.ceil(total / query.per),
    };
  }

  /** Yields the ids after this one of all links that match the query, ascending, in pieces of at most 2,000. */
  async *ids(
    identity: Pick<AccountIdentity, 'accountId' | 'scope'>,
    query: LinkSelection,
    after: string,
  ): AsyncGenerator<string[]> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    if (search !== null) yield* this.#deps.lists.ids(new LinkScope(identity), query, search, after);
  }

  /** Yields all links that match the query, oldest first, in pieces. */
  async *export(identity: AccountIdentity, query: Omit<ExportLinksQuery, 'format'>): AsyncGenerator<Link[]> {
    const search = parseSearch(query.q, this.#deps.publicUrl);
    if (search === null) return;
    for await (const links of this.#deps.lists.all(new LinkScope(identity), query, search))
      yield links.map((link) => toLink(link, this.#deps.publicUrl));
  }
}
