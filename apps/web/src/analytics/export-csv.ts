import type { Analytics } from '@waymark/contract';
import { csvRow } from '../csv.ts';
import { analytics } from '../texts/analytics.ts';
import { FILTERS } from './analytics-search.ts';
import { type BreakdownList, nameOfFilter, nameOfLink, shownRows } from './breakdown-rows.ts';
import { type Bar, hoursOfDay } from './time-series.ts';

/** The beginnings of cells that a spreadsheet runs as a formula; the export of links defuses the same ones. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

const { export: texts, filters: filterTexts } = analytics;

const COLUMNS = ['part', 'name', 'clicks', 'visitors', 'previous_clicks'];
type Row = [part: string, name: string, clicks: number | null, visitors: number | null, previousClicks: number | null];

/**
 * Returns the shown figures as CSV (RFC 4180): first the time zone and the filters, then one row for each figure,
 * with the part of the page that it is in. A name that a spreadsheet would run as a formula begins with an apostrophe.
 */
export function analyticsCsv(
  shown: Analytics,
  previous: Analytics | null,
  bars: readonly Bar[],
  lists: readonly BreakdownList[],
): string {
  const rows: Row[] = [
    [texts.parts.zone, shown.tz, null, null, null],
    ...filtersOf(shown).map((words): Row => [texts.parts.filter, words, null, null, null]),
    [
      texts.parts.total,
      texts.span(shown.from, shown.to),
      shown.clicks,
      shown.visitors ?? null,
      shown.previous?.clicks ?? null,
    ],
    ...(shown.previous
      ? [
          [
            texts.parts.before,
            texts.span(shown.previous.from, shown.previous.to),
            shown.previous.clicks,
            previous?.visitors ?? null,
            null,
          ] satisfies Row,
        ]
      : []),
    ...bars.map(
      ({ from, to, hour, clicks, visitors, previousClicks }): Row => [
        texts.parts.time,
        hour ?? (from === to ? from : texts.span(from, to)),
        clicks,
        visitors,
        previousClicks,
      ],
    ),
    ...(shown.clicks_by_hour ? hoursOfDay(shown.clicks_by_hour) : []).map(
      ({ hour, clicks }): Row => [texts.parts.hour, String(hour), clicks, null, null],
    ),
    ...lists.flatMap((list) =>
      shownRows(list, true).map((row): Row => [list.part, row.name, row.clicks, null, row.previousClicks ?? null]),
    ),
  ];
  const cells = rows.map(([part, name, ...figures]) => [
    part,
    FORMULA.test(name) ? `'${name}` : name,
    ...figures.map((figure) => String(figure ?? '')),
  ]);
  return [COLUMNS, ...cells].map(csvRow).join('\r\n');
}

/** Returns the filters of the shown figures in words. A link without a click in them has only its id. */
function filtersOf(shown: Analytics): string[] {
  return FILTERS.flatMap((name) => {
    const value = shown[name];
    if (value == null) return [];
    const link = shown.top_links.find(({ id }) => id === value);
    const words = name !== 'link_id' ? nameOfFilter(name, value) : link ? nameOfLink(link) : value;
    return [texts.filter(filterTexts.names[name], words)];
  });
}
