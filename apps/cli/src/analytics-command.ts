import type { components } from '@waymark/client';
import { print } from '@waymark/terminal';
import type { Command } from 'commander';
import { queryParameters } from './api-document.ts';
import { connect } from './connection.ts';
import { addCommand, addFields, sentFields, type Values } from './options.ts';
import { counted, lineWidth, styled, withoutScheme } from './output/print.ts';
import { type Column, table } from './output/table.ts';

type Analytics = components['schemas']['Analytics'];
type Entry = Record<string, string | number | null>;

const QUERY = queryParameters('getAnalytics');
const BAR_MAX = 40;
/** What names a link is enough. */
const LINK_DETAILS = ['id', 'slug'];
const OF_LINKS: Record<string, Partial<Column<Entry>>> = {
  short_url: { value: ({ short_url }) => withoutScheme(String(short_url)), min: 32 },
  title: { value: ({ title }) => title ?? null, min: 14, droppedAt: 1 },
  destination_url: { value: ({ destination_url }) => withoutScheme(String(destination_url)), min: 20, droppedAt: 2 },
};

/** Adds `analytics`. */
export function addAnalyticsCommand(program: Command): void {
  addFields(addCommand(program, 'analytics', 'show the clicks of a window, of all links or of some'), QUERY).action(
    async (values: Values) => {
      const client = await connect();
      const analytics = await client.get('/api/v1/analytics', { query: sentFields(QUERY, values) });
      print(values.json, analytics, analyticsText(analytics));
    },
  );
}

function analyticsText(analytics: Analytics): string {
  const { clicks, from, to, tz, previous, visitors, notice } = analytics;
  const before = previous ? `, ${previous.clicks.toLocaleString('en')} in the window before` : '';
  const people = visitors === undefined ? '' : `, ${counted(visitors, 'visitor')}`;
  const head = `${counted(clicks, 'click')}${people} from ${from} to ${to} (${tz})${before}.`;
  const parts = Object.entries<unknown>(analytics)
    .filter((part): part is [string, Entry[]] => Array.isArray(part[1]) && part[1].length > 0)
    .map(([name, entries]) => partText(name, entries));
  return [head, ...parts, ...(notice === undefined ? [] : [notice])].join('\n\n');
}

/** Returns one list of the analytics, with a bar for each number of clicks. */
function partText(name: string, entries: Entry[]): string {
  const count = (entry: Entry) => Number(entry.clicks ?? entry.requests ?? 0);
  const most = Math.max(...entries.map(count), 1);
  const width = Math.min(BAR_MAX, lineWidth() - BAR_MAX);
  const columns: Column<Entry>[] = Object.keys(entries[0]!)
    .filter((field) => !LINK_DETAILS.includes(field))
    .map((field) => ({
      title: field.replaceAll('_', ' ').toUpperCase(),
      value: (entry) => entry[field] ?? (field === 'host' ? 'default' : 'unknown'),
      ...(typeof entries[0]![field] !== 'number' && { min: 10 }),
      ...OF_LINKS[field],
    }));
  const bar: Column<Entry> = {
    title: '',
    value: (entry) => '▇'.repeat(Math.round((count(entry) / most) * width)),
    droppedAt: 2,
  };
  return `${styled('bold', name.replaceAll('_', ' '))}\n${table(name === 'top_links' ? columns : [...columns, bar], entries)}`;
}
