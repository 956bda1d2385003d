// How long the analytics take through the gateway: each window, key, source and zone, of an account with 10,000 links, 1,000 of
// them private, and 10 and then 100 million clicks in a year (`--clicks N`, in millions, for others). Prints tables; ends
// with 1 where a limit is exceeded.
import { parseArgs } from 'node:util';
import { hideLinks } from './data/links.ts';
import { topUpClicks } from './works/analytics.ts';
import {
  GROWTH_LIMIT,
  growthOf,
  growthTable,
  measureWindows,
  type WindowResult,
  windowsTable,
} from './works/analytics-windows.ts';
import { openWorld } from './world.ts';

const LINKS = 10_000;
const HIDDEN_EACH = 10;
/** The source with the most clicks. */
const SOURCE = 'source-0';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { clicks: { type: 'string', multiple: true, default: ['10', '100'] } },
});
const world = await openWorld(
  { mongodbUrl: undefined, clickhouseUrl: undefined },
  { links: LINKS, analyticsReplicas: 1 },
);
const results: WindowResult[] = [];
try {
  await hideLinks(
    world,
    world.links.filter((_, index) => index % HIDDEN_EACH === 3),
  );
  for (const millions of values.clicks.map(Number).sort((a, b) => a - b)) {
    console.error(`Loading ${millions} million clicks …`);
    await topUpClicks(world, millions * 1e6);
    for await (const result of measureWindows(world, millions * 1e6, SOURCE)) {
      results.push(result);
      const { days, key, source, tz, p50Ms, p95Ms } = result;
      console.error(
        `${days} days, ${key}, ${source ?? 'all'}, ${tz}: p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms`,
      );
    }
  }
} finally {
  await world.close();
}
console.log(`${windowsTable(results)}\n\n${growthTable(results)}`);
if (
  results.some(({ p95Ms, limitMs }) => p95Ms > limitMs) ||
  growthOf(results).some(({ ratio }) => ratio > GROWTH_LIMIT)
)
  process.exitCode = 1;
