import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Analytics } from '@waymark/contract';
import { api } from '../api/client.ts';
import { serverNow } from '../api/server-clock.ts';
import { defaultTimeZone } from '../dates.ts';
import { type AnalyticsSearch, daysOf, FILTERS, type Filters, type Unit } from './analytics-search.ts';
import { defaultUnit, MAX_DAYS_WITH_HOURS, unitsOf } from './time-series.ts';
import { endsToday } from './window-before.ts';

/**
 * The figures are read again after this time, or after a multiple of the time that the last response took: an open page
 * costs a busy server little.
 */
const REFRESH_MS = { min: 5_000, max: 60_000 };
const REFRESH_FACTOR = 10;
const TOP_LINKS = 50;
const PARTS = [
  ...['visitors', 'countries', 'browsers', 'operating_systems', 'referrers', 'hosts', 'languages'],
  ...['utm_campaigns', 'utm_mediums', 'utm_contents', 'utm_terms'],
];

/** What the page shows. */
export interface ShownAnalytics {
  query: UseQueryResult<Analytics>;
  /** The window before, for the chart. Null until it is known, or if it is not compared. */
  previous: Analytics | null;
  unit: Unit;
}

/** Reads the figures of a view. While those of another view load, the old ones stay. */
export function useAnalytics(search: AnalyticsSearch): ShownAnalytics {
  const { window, compare, filters } = search;
  const tz = search.tz ?? defaultTimeZone();
  const parts = [...PARTS];
  const days = daysOf(window);
  if (days <= MAX_DAYS_WITH_HOURS) parts.push('hours');
  if (compare) parts.push('previous');
  const parameters = { ...window, tz, ...filters, include: parts.join(), top: TOP_LINKS };
  const query = useQuery({
    queryKey: ['analytics', parameters],
    queryFn: async ({ signal }) => {
      const startedAt = performance.now();
      const answer = await api('GET /api/v1/analytics', { query: parameters, signal });
      return { answer, tookMs: performance.now() - startedAt };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshAfter(state.data?.tookMs ?? 0),
    select: ({ answer }) => answer,
  });

  const shown = query.data;
  const unit = unitOf(search.unit, shown?.days ?? days);
  const needsHours = unit === 'hour' || (shown && shown.days <= MAX_DAYS_WITH_HOURS && endsToday(shown, serverNow()));
  const before = shown?.previous && {
    // The response echoes its filters, so that both windows are of one view while the next one loads.
    ...filtersOf(shown),
    from: shown.previous.from,
    to: shown.previous.to,
    tz: shown.tz,
    include: needsHours ? 'visitors,hours' : 'visitors',
    top: 1,
  };
  const previous = useQuery({
    queryKey: ['analytics', 'previous', before],
    queryFn: ({ signal }) => api('GET /api/v1/analytics', { query: before!, signal }),
    enabled: before !== undefined,
  });
  return { query, previous: previous.data ?? null, unit };
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
