import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Sent } from '@waymark/client';
import type { Analytics } from '@waymark/contract';
import { useRef } from 'preact/hooks';
import { api } from '../api/client.ts';
import { serverNow } from '../api/server-clock.ts';
import { defaultTimeZone } from '../dates.ts';
import { type AnalyticsSearch, daysOf, FILTERS, type Filters, type Unit } from './analytics-search.ts';
import { FURTHER_LISTS, NAMED_MAX } from './breakdown-rows.ts';
import { defaultUnit, MAX_DAYS_WITH_HOURS, unitsOf } from './time-series.ts';
import { endsToday } from './window-before.ts';

/**
 * The figures are read again after this time, or after a multiple of the time that the last responses took: an open page
 * costs a busy server little.
 */
const REFRESH_MS = { min: 5_000, max: 60_000 };
const REFRESH_FACTOR = 10;

/** What the page shows. */
export interface ShownAnalytics {
  /** The figures that are seen first. */
  query: UseQueryResult<Analytics>;
  /** The window before, for the chart. Null until it is known, or if it is not compared. */
  previous: Analytics | null;
  /** The further lists. */
  further: UseQueryResult<FurtherLists>;
  /** True if the further lists are those of the view. */
  isFurtherOfView: boolean;
  unit: Unit;
}

/** The further lists, and the view that they are of. */
interface FurtherLists {
  view: string;
  answer: Analytics;
}

/**
 * Reads the figures of a view: those that are seen first, and then the further lists. While those of another view load,
 * the old ones stay.
 */
export function useAnalytics(search: AnalyticsSearch): ShownAnalytics {
  const { window, compare, filters } = search;
  const tz = search.tz ?? defaultTimeZone();
  const parts = ['visitors'];
  const days = daysOf(window);
  if (days <= MAX_DAYS_WITH_HOURS) parts.push('hours');
  if (compare) parts.push('previous');
  const parameters = { ...window, tz, ...filters, include: parts.join(), top: NAMED_MAX };
  const tookMs = useRef({ first: 0, further: 0 });
  const readTimed = async (part: keyof typeof tookMs.current, sent: Sent<'GET /api/v1/analytics'>) => {
    const startedAt = performance.now();
    const answer = await api('GET /api/v1/analytics', sent);
    tookMs.current[part] = performance.now() - startedAt;
    return answer;
  };
  const query = useQuery({
    queryKey: ['analytics', parameters],
    queryFn: ({ signal }) => readTimed('first', { query: parameters, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: () => refreshAfter(tookMs.current.first + tookMs.current.further),
  });

  const shown = query.data;
  const unit = unitOf(search.unit, shown?.days ?? days);
  const needsHours = unit === 'hour' || (shown?.days === 1 && endsToday(shown, serverNow()));
  // The response echoes its filters, so that both windows are of one view while the next one loads.
  const ofShown = shown && { ...filtersOf(shown), tz: shown.tz };
  const before = shown?.previous && {
    ...ofShown,
    from: shown.previous.from,
    to: shown.previous.to,
    fields: needsHours ? 'clicks_by_day,visitors,clicks_by_hour' : 'clicks_by_day,visitors',
  };
  const previous = useQuery({
    queryKey: ['analytics', 'previous', before],
    queryFn: ({ signal }) => api('GET /api/v1/analytics', { query: before!, signal }),
    enabled: before !== undefined,
  });

  const ofLists = shown && { ...ofShown, from: shown.from, to: shown.to, fields: FURTHER_LISTS.join() };
  const view = JSON.stringify(ofLists);
  const further = useQuery({
    // The lists change only with the number of clicks, so they are not read again before it does.
    queryKey: ['analytics', 'further', ofLists, shown?.clicks],
    queryFn: async ({ signal }) => ({ view, answer: await readTimed('further', { query: ofLists!, signal }) }),
    enabled: shown !== undefined && shown.clicks > 0 && !query.isPlaceholderData,
    placeholderData: keepPreviousData,
    staleTime: REFRESH_MS.max,
    gcTime: REFRESH_MS.max,
  });
  return { query, previous: previous.data ?? null, further, isFurtherOfView: further.data?.view === view, unit };
}

function refreshAfter(tookMs: number): number {
  return Math.min(Math.max(tookMs * REFRESH_FACTOR, REFRESH_MS.min), REFRESH_MS.max);
}

function filtersOf(shown: Analytics): Filters {
  const filters: Filters = {};
  for (const name of FILTERS) {
    const value = shown[name];
    if (value != null) filters[name] = value;
  }
  return filters;
}

/** Returns the chosen unit if it fits the window, otherwise the one that suits it. */
function unitOf(chosen: Unit | null, days: number): Unit {
  return chosen !== null && unitsOf(days).includes(chosen) ? chosen : defaultUnit(days);
}
