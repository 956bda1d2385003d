// Measures how many clicks one analytics-svc stores in a minute (`--seconds N` for another duration), their cost, and
// the memory of analytics-svc meanwhile. Linux only.
import { parseArgs } from 'node:util';
import { sustainedLines, sustainIngestion } from './works/sustained-ingestion.ts';
import { openWorld } from './world.ts';

const LINKS = 10_000;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { seconds: { type: 'string', default: '60' } },
});
const databases = { mongodbUrl: undefined, clickhouseUrl: process.env.CLICKHOUSE_URL || undefined };
const world = await openWorld({ databases, links: LINKS });
try {
  console.log(sustainedLines(await sustainIngestion(world, { seconds: Number(values.seconds) })));
} finally {
  await world.close();
}
