// Measures how long the analytics take through the gateway: each window, key, question and time zone, for an account with
// 10,000 links, 1,000 of them private, and 10 and then 100 million clicks in a year. Prints tables; exits with 1 if a
// limit is exceeded. `--clicks N` (in millions) measures other numbers of clicks. `--data FOLDER` keeps the databases,
// so that the next run of the same day does not load them again.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hideLinks } from './data/links.ts';
import { mergeClicks, readAllClicks, topUpClicks } from './works/analytics.ts';
import {
  GROWTH_LIMIT,
  growthOf,
  growthTable,
  measureWindows,
  ratioOf,
  STRAIGHT_LIMIT,
  type WindowResult,
  windowsTable,
} from './works/analytics-windows.ts';
import { openWorld } from './world.ts';

const LINKS = 10_000;
const HIDDEN_EACH = 10;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { clicks: { type: 'string', multiple: true, default: ['10', '100'] }, data: { type: 'string' } },
});
const results: WindowResult[] = [];
for (const millions of values.clicks.map(Number).sort((a, b) => a - b)) {
  const world = await openWorld({ links: LINKS, keepIn: values.data && join(values.data, `${millions}m`) });
  try {
    const hidden = world.links.filter((_, index) => index % HIDDEN_EACH === 3);
    await hideLinks(world, hidden);
    console.error(`Loading ${millions} million clicks …`);
    await topUpClicks(world, millions * 1e6);
    await mergeClicks(world);
    await readAllClicks(world);
    const hiddenLinkIds = hidden.map(({ id }) => id);
    for await (const result of measureWindows(world, millions * 1e6, hiddenLinkIds)) {
      results.push(result);
      const { days, key, question, tz, p50Ms, p95Ms, straightP50Ms, databaseCpuMs } = result;
      console.error(
        `${days} days, ${key}, ${question}, ${tz}: p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms, straight ${straightP50Ms.toFixed(0)} ms, ClickHouse’s CPU ${databaseCpuMs.toFixed(0)} ms`,
      );
    }
  } finally {
    await world.close();
  }
}
console.log(windowsTable(results));
if (values.clicks.length > 1) console.log(`\n${growthTable(results)}`);
if (
  results.some(({ p95Ms, limitMs }) => p95Ms > limitMs) ||
  results.some((result) => ratioOf(result) > STRAIGHT_LIMIT) ||
  growthOf(results).some(({ ratio }) => ratio > GROWTH_LIMIT)
)
  process.exitCode = 1;
