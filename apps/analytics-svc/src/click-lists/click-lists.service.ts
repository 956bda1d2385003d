import { AppError, type RawClick } from '@waymark/contract';
import type { Caller, HiddenLinks } from '../analytics/hidden-links.ts';
import type { LinksWithHashtag } from '../analytics/links-with-hashtag.ts';
import type { ShownLink, ShownLinks } from '../analytics/shown-links.ts';
import type { StoredBlocks } from '../database/stored-blocks.ts';
import type { BlockRange, ClickListsStore, Sight, StoredClick } from './click-lists.store.ts';
import { cursorOf, endOf, isBefore, type Position, positionOf, START } from './position.ts';

/** Which clicks are asked for. */
export interface ClickListQuery {
  after?: string;
  /** The cursor of the last click. */
  upTo?: string;
  /** Only so many, those that happened latest. */
  last?: number;
  link_id?: string;
}

/** A part of the clicks. */
export interface ClickPage {
  clicks: RawClick[];
  /** The cursor behind the clicks, and behind those that the caller does not see. */
  next: string;
  /** True if there may be more. */
  more: boolean;
}

export interface ClickLists {
  /**
   * Yields the clicks that the caller's key sees in the order in which they were stored, up to those that are stored now.
   * Whoever goes on from a cursor gets every click exactly once. What is hidden is looked up for each page. Every page but
   * the last one has at most `pageClicks`; it may be empty.
   * With `last`, it is one page.
   * @throws {AppError} `invalid` for a malformed cursor or one with `last`, `not_found` if the key does not see the link of `link_id`,
   *   `unavailable` if ClickHouse or links-svc is.
   */
  pages(query: ClickListQuery, pageClicks: number, caller: Caller, signal: AbortSignal): AsyncGenerator<ClickPage>;
  /** Returns the cursor behind all clicks that are stored now. */
  end(caller: Caller, signal: AbortSignal): Promise<string>;
  /** Checks a query. @throws {AppError} `invalid`. */
  check(query: ClickListQuery, caller: Caller, signal: AbortSignal): Promise<void>;
}

export interface ClickListsDeps {
  store: ClickListsStore;
  storedBlocks(accountId: string, signal: AbortSignal): Promise<StoredBlocks>;
  hiddenLinks: HiddenLinks;
  linksWithHashtag: LinksWithHashtag;
  shownLinks: ShownLinks;
}

/** The most links that links-svc returns at once. */
const LINKS_AT_A_TIME = 1_000;

export function createClickLists(deps: ClickListsDeps): ClickLists {
  const { store, storedBlocks, hiddenLinks, linksWithHashtag, shownLinks } = deps;

  /** Returns which links the caller sees now. */
  async function sightOf(linkId: string | undefined, caller: Caller, signal: AbortSignal): Promise<Sight> {
    const { accountId, key } = caller.identity;
    if (linkId !== undefined) return { accountId, onlyLinks: [linkId], hiddenLinks: [] };
    const hashtag = key?.hashtag ?? null;
    if (hashtag !== null)
      return { accountId, onlyLinks: await linksWithHashtag.find(hashtag, caller, signal), hiddenLinks: [] };
    return { accountId, onlyLinks: null, hiddenLinks: await hiddenLinks.find(caller, signal) };
  }

  /** Returns the links of clicks that the caller sees now, by id. */
  async function linksOf(clicks: readonly StoredClick[], caller: Caller, signal: AbortSignal) {
    const ids = [...new Set(clicks.map(({ link_id }) => link_id))];
    const links = new Map<string, ShownLink>();
    for (let at = 0; at < ids.length; at += LINKS_AT_A_TIME) {
      const found = await shownLinks.findByClicksIds(ids.slice(at, at + LINKS_AT_A_TIME), caller, signal);
      for (const [id, link] of found) links.set(id, link);
    }
    return links;
  }

  return {
    async *pages({ after, upTo, last: latest, link_id }, pageClicks, caller, signal) {
      requireOne(after ?? upTo, latest);
      const { tableId, last: lastStored } = await storedBlocks(caller.identity.accountId, signal);
      const end = upTo === undefined ? null : positionOf(tableId, upTo);
      const last = Math.min(lastStored, end?.block ?? lastStored);
      const cursor = (position: Position) => cursorOf(tableId, position);
      let at = after === undefined ? START : positionOf(tableId, after);
      const linkId = link_id === undefined ? undefined : (await shownLinks.get(link_id, caller, signal)).clicksId;
      if (latest !== undefined) {
        const stored = await store.findLatest(await sightOf(linkId, caller, signal), last, latest, signal);
        const links = await linksOf(stored, caller, signal);
        yield { clicks: shownClicks(stored, links, tableId), next: cursor(endOf(last)), more: false };
        return;
      }
      let ranges: BlockRange[] = [];
      if (at.block <= last) {
        const sight = await sightOf(linkId, caller, signal);
        ranges = await store.findRanges(sight, at, last, signal);
      }
      for (const range of ranges) {
        for (let isRead = false; !isRead; ) {
          const sight = await sightOf(linkId, caller, signal);
          const stored = await store.findClicks(sight, { after: at, upTo: end }, range, pageClicks, signal);
          isRead = stored.length < pageClicks;
          at = isRead ? endOf(range.last) : stored.at(-1)!;
          const links = await linksOf(stored, caller, signal);
          yield { clicks: shownClicks(stored, links, tableId), next: cursor(at), more: isBefore(at, endOf(last)) };
        }
      }
      if (isBefore(at, endOf(last))) at = endOf(last);
      if (ranges.length === 0) yield { clicks: [], next: cursor(at), more: false };
    },
    async end({ identity }, signal) {
      const { tableId, last } = await storedBlocks(identity.accountId, signal);
      return cursorOf(tableId, endOf(last));
    },
    async check({ after, last }, { identity }, signal) {
      requireOne(after, last);
      if (after !== undefined) positionOf((await storedBlocks(identity.accountId, signal)).tableId, after);
    },
  };
}

function requireOne(after: string | undefined, last: number | undefined): void {
  if (after !== undefined && last !== undefined)
    throw new AppError('invalid', 'Send either "after" or "last": "last" is about the latest clicks.');
}

/** Returns the clicks of these links. */
function shownClicks(
  stored: readonly StoredClick[],
  links: ReadonlyMap<string, ShownLink>,
  tableId: string,
): RawClick[] {
  return stored.flatMap((click) => {
    const link = links.get(click.link_id);
    return link === undefined ? [] : [rawClick(click, link, cursorOf(tableId, click))];
  });
}

/** Returns a click with its fields in the order in which they are documented. */
function rawClick(click: StoredClick, { id: link_id, slug }: ShownLink, cursor: string): RawClick {
  const { id, host, clicked_at_ms, source, referrer, device, browser, os, country, language } = click;
  const { utm_campaign, utm_medium, utm_content, utm_term } = click;
  return {
    ...{ id, link_id, slug, host, clicked_at: new Date(clicked_at_ms).toISOString(), source, referrer, device },
    ...{ browser, os, country, language, utm_campaign, utm_medium, utm_content, utm_term, cursor },
  };
}
