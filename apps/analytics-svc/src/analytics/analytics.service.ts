import {
  type Analytics,
  type AnalyticsQuery,
  AppError,
  MAX_SOURCES,
  MAX_TOP_LINKS,
  UNAVAILABLE_MESSAGE,
} from '@waymark/contract';
import type { AnalyticsStore, ClickReader, LinkClicks } from './analytics.store.ts';
import type { ClickQuery } from './click-query.ts';
import type { Figures } from './figures.ts';
import type { Caller, HiddenLinks } from './hidden-links.ts';
import type { ShownLink, ShownLinks } from './shown-links.ts';
import { type Window, windowOf } from './window.ts';

export interface AnalyticsService {
  /**
   * Returns the analytics of the caller's account as of now, without the links that the caller's key may not see.
   * @throws {AppError} `unavailable` within 5 seconds if ClickHouse or links-svc is. Figures are never partial.
   */
  get(query: AnalyticsQuery, caller: Caller, signal: AbortSignal): Promise<Analytics>;
}

export interface AnalyticsServiceDeps {
  store: AnalyticsStore;
  hiddenLinks: HiddenLinks;
  shownLinks: ShownLinks;
}

/** Less than the 5 seconds of docs/api.md (Errors), so that there is time to send the error. */
const ANSWER_TIMEOUT_MS = 4_000;
/** How many times the figures are read at most. They are read again if a link disappeared in the meantime. */
const ATTEMPTS_MAX = 4;
/** How many links are candidates for the top ten. If more links tie with the tenth, the lowest numbers are used. */
const CANDIDATES_MAX = 200;

export function createAnalyticsService({ store, hiddenLinks, shownLinks }: AnalyticsServiceDeps): AnalyticsService {
  /** Returns the figures and top links without the hidden links, or the ids of top links that have disappeared. */
  async function attempt(query: ClickQuery, caller: Caller, signal: AbortSignal) {
    const reader = await store.open(query, signal);
    // In parallel, because the figures take longer than the links.
    const [figures, { top, shown }] = await Promise.all([reader.figures(), findTopLinks(reader, caller, signal)]);
    const gone = top.flatMap(({ linkId }) => (shown.has(linkId) ? [] : [linkId]));
    return gone.length === 0 ? { figures, topLinks: topLinksOf(top, shown) } : { gone };
  }

  /** Returns the candidates for the top links, and those of them that the caller may see. */
  async function findTopLinks(reader: ClickReader, caller: Caller, signal: AbortSignal) {
    const candidates = await reader.topLinks(CANDIDATES_MAX);
    const tenth = candidates[MAX_TOP_LINKS - 1];
    const top = tenth === undefined ? candidates : candidates.filter(({ clicks }) => clicks >= tenth.clicks);
    const ids = top.map(({ linkId }) => linkId);
    return { top, shown: await shownLinks.findByIds(ids, caller, signal) };
  }

  return {
    async get({ days, tz, source: asked }, caller, callerSignal) {
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      const source = asked ?? null;
      try {
        let hidden = await hiddenLinks.find(caller, signal);
        const window = windowOf(days, tz, Date.now());
        const query = {
          accountId: caller.identity.accountId,
          scope: caller.identity.scope,
          boundaries: window.boundaries,
          // Sources are stored in lower case.
          source: source?.toLowerCase() ?? null,
        };
        for (let tries = 0; tries < ATTEMPTS_MAX; tries++) {
          const found = await attempt({ ...query, hiddenLinks: hidden }, caller, signal);
          if (found.gone === undefined) return analyticsOf({ days, tz, source }, window, found.figures, found.topLinks);
          hidden = [...hidden, ...found.gone];
        }
        throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
          cause: new Error(`links disappeared during each of ${ATTEMPTS_MAX} attempts`),
        });
      } catch (cause) {
        throw signal.aborted ? new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }) : cause;
      }
    },
  };
}

function analyticsOf(
  asked: Pick<Analytics, 'days' | 'tz' | 'source'>,
  { dates }: Window,
  figures: Figures,
  topLinks: Analytics['top_links'],
): Analytics {
  const clicksByDay = dates.map((date, day) => ({ date, clicks: figures.days.get(day) ?? 0 }));
  return {
    days: asked.days,
    source: asked.source,
    tz: asked.tz,
    from: dates[0]!,
    to: dates.at(-1)!,
    clicks: clicksByDay.reduce((sum, { clicks }) => sum + clicks, 0),
    clicks_by_day: clicksByDay,
    devices: figures.devices,
    sources: figures.sources.slice(0, MAX_SOURCES),
    top_links: topLinks,
  };
}

/** Returns the ten most clicked links; links with equal clicks are ordered by slug. */
function topLinksOf(top: readonly LinkClicks[], shown: ReadonlyMap<string, ShownLink>): Analytics['top_links'] {
  return top
    .map(({ linkId, clicks }) => ({ link: shown.get(linkId)!, clicks }))
    .sort((a, b) => b.clicks - a.clicks || (a.link.slug < b.link.slug ? -1 : 1))
    .slice(0, MAX_TOP_LINKS)
    .map(({ link, clicks }) => ({
      id: link.id,
      slug: link.slug,
      short_url: link.shortUrl,
      title: link.title ?? null,
      destination_url: link.destinationUrl,
      clicks,
    }));
}
