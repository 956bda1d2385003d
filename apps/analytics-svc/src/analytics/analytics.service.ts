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
import type { Asker, HiddenLinks } from './hidden-links.ts';
import type { ShownLink, ShownLinks } from './shown-links.ts';
import { type Window, windowOf } from './window.ts';

export interface AnalyticsService {
  /**
   * The analytics of the asker's account, as far as the asker's key may see it, as of now.
   * @throws {AppError} `unavailable` where ClickHouse or links-svc is, within 5 seconds: never a part of the figures.
   */
  get(query: AnalyticsQuery, asker: Asker, signal: AbortSignal): Promise<Analytics>;
}

export interface AnalyticsServiceDeps {
  store: AnalyticsStore;
  hiddenLinks: HiddenLinks;
  shownLinks: ShownLinks;
}

/** Below the 5 seconds of docs/api.md (Errors), with time left to say so. */
const ANSWER_TIMEOUT_MS = 4_000;
/** How often the figures are read again because a link disappeared meanwhile. */
const ATTEMPTS_MAX = 4;
/** Among more links than this with the same number of clicks as the tenth, the first by number compete for the last places. */
const CANDIDATES_MAX = 200;

export function createAnalyticsService({ store, hiddenLinks, shownLinks }: AnalyticsServiceDeps): AnalyticsService {
  /** Figures and top links without the hidden ones; or the links that are hidden by now. */
  async function attempt(query: ClickQuery, asker: Asker, signal: AbortSignal) {
    const reader = await store.open(query, signal);
    // Links are asked for while the figures are still read, which takes longer.
    const [figures, { top, shown }] = await Promise.all([reader.figures(), findTopLinks(reader, asker, signal)]);
    const gone = top.flatMap(({ linkId }) => (shown.has(linkId) ? [] : [linkId]));
    return gone.length === 0 ? { figures, topLinks: topLinksOf(top, shown) } : { gone };
  }

  /** The links that may be among the first, and those of them that the asker may see. */
  async function findTopLinks(reader: ClickReader, asker: Asker, signal: AbortSignal) {
    const candidates = await reader.topLinks(CANDIDATES_MAX);
    const tenth = candidates[MAX_TOP_LINKS - 1];
    const top = tenth === undefined ? candidates : candidates.filter(({ clicks }) => clicks >= tenth.clicks);
    const ids = top.map(({ linkId }) => linkId);
    return { top, shown: await shownLinks.findByIds(ids, asker, signal) };
  }

  return {
    async get({ days, tz, source: asked }, asker, callerSignal) {
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      const source = asked ?? null;
      try {
        let hidden = await hiddenLinks.find(asker, signal);
        const window = windowOf(days, tz, Date.now());
        const query = {
          accountId: asker.identity.accountId,
          scope: asker.identity.scope,
          boundaries: window.boundaries,
          // As sources are stored.
          source: source?.toLowerCase() ?? null,
        };
        for (let tries = 0; tries < ATTEMPTS_MAX; tries++) {
          const found = await attempt({ ...query, hiddenLinks: hidden }, asker, signal);
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

/** The ten most clicked, then by slug. */
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
