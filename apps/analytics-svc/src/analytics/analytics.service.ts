import {
  type ANALYTICS_FIELDS,
  type Analytics,
  type AnalyticsQuery,
  AppError,
  analyticsParts,
  analyticsWindow,
  crossParts,
  DEFAULT_TOP_LINKS,
  foldHashtag,
  hostOfFilter,
  type TopBy,
  UNAVAILABLE_MESSAGE,
  UTM_NAMES,
} from '@waymark/contract';
import { callTimeMs, FairQueue, REQUEST_MAX_MS } from '@waymark/service-kit';
import type { AnalyticsStore, LinkClicks } from './analytics.store.ts';
import { answerOf } from './analytics-answer.ts';
import {
  analyticsNotice,
  meantSource,
  NAMING_FILTERS,
  partsNaming,
  valuesOf,
  type WithoutClicks,
} from './analytics-notice.ts';
import type { ClickQuery, FigurePart } from './click-query.ts';
import { type HashtagsOfLinks, hashtagsOfLink } from './hashtags-of-links.ts';
import type { Caller, HiddenLinks } from './hidden-links.ts';
import type { LinksWithHashtag } from './links-with-hashtag.ts';
import type { ShownLink, ShownLinks } from './shown-links.ts';
import { dateAt, hoursOf, spanOfWindow, type Times, windowBefore, windowOf } from './window.ts';

export interface AnalyticsService {
  /**
   * Returns the analytics of the caller's account as of now, without the links that the caller's key may not see.
   * Waits until it is the account's turn. Gives up when the signal is aborted.
   * @throws {AppError} `invalid` if parameters do not fit together; `not_found` if the key does not see the link of
   * `link_id`; `unavailable` within 5 seconds if ClickHouse or links-svc is, or if the account asks too much at once.
   * Figures are never partial.
   */
  get(query: AnalyticsQuery, caller: Caller, signal: AbortSignal): Promise<Analytics>;
}

export interface AnalyticsServiceDeps {
  store: AnalyticsStore;
  hiddenLinks: HiddenLinks;
  linksWithHashtag: LinksWithHashtag;
  hashtagsOfLinks: HashtagsOfLinks;
  shownLinks: ShownLinks;
  /** The names of the hosts of the service itself, whose links are those of the default host. */
  ownHosts: readonly string[];
}

/**
 * Questions that are answered concurrently, and those that wait. An account may have a quarter of what runs, so another
 * account does not wait for it. What waits of one account is more than the gateways let through.
 */
const QUEUE = { concurrency: 8, concurrencyOfUser: 2, maxWaiting: 256, maxWaitingOfUser: 32 };
/** How many times the figures are read at most. They are read again if a link disappeared in the meantime. */
const ATTEMPTS_MAX = 4;

export function createAnalyticsService(deps: AnalyticsServiceDeps): AnalyticsService {
  const { store, hiddenLinks, linksWithHashtag, hashtagsOfLinks, shownLinks, ownHosts } = deps;
  const queue = new FairQueue(QUEUE);

  /**
   * Returns the figures and top links without the hidden links, or the ids of top links that have disappeared. `found` are
   * the links that the caller was found to see already.
   */
  async function attempt(
    query: ClickQuery,
    top: number,
    found: ReadonlyMap<string, ShownLink>,
    caller: Caller,
    signal: AbortSignal,
  ) {
    const { rows, links } = await store.find(query, signal);
    const leaders = leadersOf(links, query.topBy, top);
    const ids = leaders.map(({ linkId }) => linkId);
    const others = ids.filter((id) => !found.has(id));
    const shown = new Map([...found, ...(await shownLinks.findByClicksIds(others, caller, signal))]);
    const gone = ids.filter((id) => !shown.has(id));
    return gone.length === 0 ? { rows, leaders, shown } : { gone };
  }

  /**
   * Returns the only links whose clicks count, or null for all, and the hashtags of the links, or null if `cross` does
   * not name them. `link` is that of `link_id`.
   */
  async function findLinks(
    { hashtag, cross }: AnalyticsQuery,
    link: ShownLink | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Pick<ClickQuery, 'onlyLinks' | 'hashtags'>> {
    // Only links with the hashtag of a restricted key exist for it, also among those with another one.
    const folded = hashtag === undefined ? (caller.identity.key?.hashtag ?? undefined) : foldHashtag(hashtag);
    const isByHashtag = cross !== undefined && crossParts(cross).includes('hashtag');
    if (link !== undefined) {
      const counts = folded === undefined || link.hashtags.includes(folded);
      return { onlyLinks: counts ? [link.clicksId] : [], hashtags: isByHashtag ? hashtagsOfLink(link) : null };
    }
    if (isByHashtag) {
      const hashtags = await hashtagsOfLinks.find(folded, caller, signal);
      return { onlyLinks: folded === undefined ? null : idsIn(hashtags.linkIds), hashtags };
    }
    return {
      onlyLinks: folded === undefined ? null : await linksWithHashtag.find(folded, caller, signal),
      hashtags: null,
    };
  }

  async function answer(sent: AnalyticsQuery, caller: Caller, signal: AbortSignal): Promise<Analytics> {
    const found = await figures(sent, caller, signal);
    const without = found.clicks === 0 ? await filterWithoutClicks(sent, caller, signal) : undefined;
    if (without?.filter !== 'source') return { ...found, ...analyticsNotice(sent, found, without) };
    const source = sent.source!;
    const meant = meantSource(source, without.names);
    const ofMeant = meant === undefined ? null : await figures({ ...sent, source: meant }, caller, signal);
    return ofMeant === null || ofMeant.clicks === 0
      ? { ...found, ...analyticsNotice(sent, found, without) }
      : { ...ofMeant, source, ...analyticsNotice(sent, ofMeant, { ...without, meant }) };
  }

  /**
   * Returns the first filter without which there are clicks. Those before it do not matter: beside its value, there is no
   * click whatever they are.
   */
  async function filterWithoutClicks(
    { include: _include, fields: _fields, cross: _cross, top_by: _topBy, ...sent }: AnalyticsQuery,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<WithoutClicks | undefined> {
    let asked: AnalyticsQuery = sent;
    for (const filter of NAMING_FILTERS) {
      if (asked[filter] === undefined) continue;
      const { [filter]: _value, ...others } = asked;
      asked = others;
      const { query } = await select(asked, caller, signal);
      const { rows } = await store.find({ ...query, parts: partsNaming(filter) }, signal);
      if (rows.length > 0) return { filter, names: valuesOf(filter, rows) };
    }
    return undefined;
  }

  /** Returns the links whose clicks count, and the question to the store. */
  async function select(asked: AnalyticsQuery, caller: Caller, signal: AbortSignal) {
    const times = timesOf(asked);
    const link = asked.link_id === undefined ? undefined : await shownLinks.get(asked.link_id, caller, signal);
    const { onlyLinks, hashtags } = await findLinks(asked, link, caller, signal);
    // Links that were found for the caller need no further check.
    const hidden = onlyLinks === null ? await hiddenLinks.find(caller, signal) : [];
    const { accountId } = caller.identity;
    const query = { ...clickQuery(asked, times, ownHosts), accountId, onlyLinks, hashtags, hiddenLinks: hidden };
    return { times, link, query };
  }

  async function figures(asked: AnalyticsQuery, caller: Caller, signal: AbortSignal): Promise<Analytics> {
    const top = asked.top ?? DEFAULT_TOP_LINKS;
    const { times, link, query } = await select(asked, caller, signal);
    const found = new Map(link && [[link.clicksId, link]]);
    let hidden = query.hiddenLinks;
    for (let tries = 0; tries < ATTEMPTS_MAX; tries++) {
      const onlyLinks = query.onlyLinks && without(query.onlyLinks, hidden);
      const read = await attempt({ ...query, onlyLinks, hiddenLinks: hidden }, top, found, caller, signal);
      if (read.gone === undefined) return answerOf(asked, times, read.rows, read.leaders, read.shown);
      hidden = [...hidden, ...read.gone];
    }
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error(`links disappeared during each of ${ATTEMPTS_MAX} attempts`),
    });
  }

  return {
    async get(asked, caller, callerSignal) {
      const timeMs = callTimeMs(REQUEST_MAX_MS);
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(timeMs)]);
      try {
        return await queue.run(
          [caller.identity.accountId],
          () => answer(asked, caller, signal),
          // As much time is left for the answer itself.
          timeMs / 2,
          signal,
        );
      } catch (cause) {
        throw signal.aborted ? new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }) : cause;
      }
    },
  };
}

function timesOf(asked: AnalyticsQuery): Times {
  const { from, to } = analyticsWindow(asked, dateAt(asked.tz, Date.now()));
  const parts = analyticsParts(asked);
  const window = windowOf(from, to, asked.tz);
  return {
    window,
    hours: parts.has('hours') ? hoursOf(window, asked.tz) : null,
    before: parts.has('previous') ? windowBefore(window, asked.tz) : null,
  };
}

function clickQuery(asked: AnalyticsQuery, { window, hours, before }: Times, ownHosts: readonly string[]) {
  const { source, device, country, browser, os, host, language } = asked;
  const shortHost = host === undefined ? undefined : hostOfFilter(host);
  const parts = new Set<FigurePart>(analyticsParts(asked));
  const isAsked = (field: (typeof ANALYTICS_FIELDS)[number]) =>
    asked.fields === undefined || asked.fields.split(',').includes(field);
  if (isAsked('top_links')) parts.add('links');
  // With a filter by source, all clicks are from that source.
  if (source === undefined && isAsked('sources')) parts.add('sources');
  return {
    dayStarts: window.boundaries,
    hourStarts: hours?.starts ?? [],
    previous: before && spanOfWindow(before),
    topBy: asked.top_by ?? 'clicks',
    cross: asked.cross === undefined ? null : crossParts(asked.cross),
    parts,
    filters: {
      // As the names are stored, or compared.
      ...(source !== undefined && { source: source.toLowerCase() }),
      ...(device !== undefined && { device: device.toLowerCase() }),
      ...(country !== undefined && { country: country.toLowerCase() === 'unknown' ? '' : country.toUpperCase() }),
      ...(browser !== undefined && { browser: browser.toLowerCase() }),
      ...(os !== undefined && { os: os.toLowerCase() }),
      ...(language !== undefined && { language: language.toLowerCase() === 'unknown' ? '' : language.toLowerCase() }),
      ...Object.fromEntries(
        UTM_NAMES.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name].toLowerCase()]])),
      ),
      ...(shortHost !== undefined && { host: shortHost === null || ownHosts.includes(shortHost) ? '' : shortHost }),
    },
  };
}

/** Returns the candidates for the top links: the first ones, and those that tie with the last of them. */
function leadersOf(links: readonly LinkClicks[], topBy: TopBy, top: number): LinkClicks[] {
  const scoreOf = ({ clicks, previousClicks }: LinkClicks) => (topBy === 'clicks' ? clicks : clicks - previousClicks);
  const candidates = topBy === 'clicks' ? links.filter(({ clicks }) => clicks > 0) : links;
  const last = candidates[top - 1];
  return candidates.filter((link, index) => index < top || scoreOf(link) === scoreOf(last!));
}

function idsIn(list: string): string[] {
  return list === '' ? [] : list.split(',');
}

function without(ids: readonly string[], gone: readonly string[]): readonly string[] {
  return gone.length === 0 ? ids : ids.filter((id) => !gone.includes(id));
}
