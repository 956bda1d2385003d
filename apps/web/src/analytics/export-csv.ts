import Papa from 'papaparse';
import type { BreakdownList } from './breakdown-rows.ts';
import { type Bar, hoursOfDay } from './time-series.ts';
import type { Analytics } from './use-analytics.ts';

/** The beginnings of cells that a spreadsheet runs as a formula; the export of links defuses the same ones. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

type Row = [part: string, name: string, clicks: number, visitors: number | null, previousClicks: number | null];

/**
 * Returns the shown figures as CSV (RFC 4180): one row for each figure, with the part of the page that it is in. A cell
 * that a spreadsheet would run as a formula begins with an apostrophe.
 */
export function analyticsCsv(
  shown: Analytics,
  previous: Analytics | null,
  bars: readonly Bar[],
  lists: readonly BreakdownList[],
): string {
  const rows: Row[] = [
    ['total', `${shown.from} to ${shown.to}`, shown.clicks, shown.visitors ?? null, shown.previous?.clicks ?? null],
    ...(shown.previous
      ? [
          [
            'total before',
            `${shown.previous.from} to ${shown.previous.to}`,
            shown.previous.clicks,
            previous?.visitors ?? null,
            null,
          ] satisfies Row,
        ]
      : []),
    ...bars.map(
      ({ from, to, hour, clicks, visitors, previousClicks }): Row => [
        'time',
        hour ?? (from === to ? from : `${from} to ${to}`),
        clicks,
        visitors,
        previousClicks,
      ],
    ),
    ...(shown.clicks_by_hour ? hoursOfDay(shown.clicks_by_hour) : []).map(
      (clicks, hour): Row => ['hour of the day', String(hour), clicks, null, null],
    ),
    ...lists.flatMap(({ part, rows: list }) =>
      list.map((row): Row => [part, row.name, row.clicks, null, row.previousClicks ?? null]),
    ),
  ];
  const fields = ['part', 'name', 'clicks', 'visitors', 'previous_clicks'];
  return Papa.unparse({ fields, data: rows }, { escapeFormulae: FORMULA });
}
