import type { Analytics } from '@waymark/contract';
import { Table } from '../components/table.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { formatBar, formatNumber, formatSpan } from './format.ts';
import type { Bar } from './time-series.ts';

interface ClicksTableProps {
  bars: readonly Bar[];
  /** The window before. */
  previous: Analytics['previous'];
}

/** The bars of the chart over time as a table. */
export function ClicksTable({ bars, previous }: ClicksTableProps) {
  const number = true;
  const columns = [
    { key: 'time', head: texts.columns.time },
    { key: 'clicks', head: texts.columns.clicks, number },
    { key: 'visitors', head: texts.columns.visitors, number },
    { key: 'before', head: previous ? formatSpan(previous.from, previous.to) : texts.columns.before, number },
  ];
  const rows = bars.map((bar) => ({
    key: bar.key,
    cells: [formatBar(bar), ...[bar.clicks, bar.visitors, bar.previousClicks].map(numberOrDash)],
  }));
  return <Table caption={texts.chart.asTable} columns={columns} rows={rows} />;
}

function numberOrDash(value: number | null): string {
  return value === null ? '–' : formatNumber(value);
}
