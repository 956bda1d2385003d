// Prints how the MongoDB of MONGODB_URL runs each list and search: the indexes of each statement and, if the server says
// so, how many documents it read in vain. `--links N` sets how many links the account has (100,000). They stay in the
// database `waymark_explain` for the next run, because some servers use an index only after they have analysed it.
import { parseArgs } from 'node:util';
import { ListLinksQuery, queryValidator } from '@waymark/contract';
import type { Document, MongoClient } from 'mongodb';
import { Database } from '../../apps/links-svc/src/database/database.ts';
import { LinkScope } from '../../apps/links-svc/src/links/link-scope.ts';
import { LinkLists } from '../../apps/links-svc/src/lists/link-lists.ts';
import { parseSearch } from '../../apps/links-svc/src/search/search.ts';
import { SearchTexts } from '../../apps/links-svc/src/search/search-texts.ts';
import { COMMON_TERM, loadLinks, rareTerm } from './data/links.ts';

const ACCOUNT = 'explained0000000';
const QUERIES = [
  {},
  { sort: 'title' },
  { sort: 'clicks', archived: 'any' },
  { visibility: 'private' },
  { sort: 'updated_at' },
  { sort: 'slug' },
  { created_before: '2026-01-01' },
  { hashtag: 'summer' },
  { hashtag: 'summer', sort: 'title' },
  { domain: 'example.com' },
  { domain: 'shop.example' },
  { last_clicked_before: '2026-01-01' },
  { expired: 'true' },
  { destination_url: 'https://example.com/' },
  { host: 'go.example.com' },
  { q: COMMON_TERM },
  { q: rareTerm(500) },
  { q: COMMON_TERM, last_clicked_before: '2026-01-01' },
  { q: COMMON_TERM, sort: 'title', hashtag: 'summer' },
];

const { values } = parseArgs({ options: { links: { type: 'string', default: '100000' } } });
const url = process.env.MONGODB_URL;
if (url === undefined) throw new Error('Set MONGODB_URL. The embedded MongoDB does not explain its plans.');
const sent: Document[] = [];
const clients: MongoClient[] = [];
const database = new Database({
  url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`,
  database: 'waymark_explain',
  onClient: (client) => {
    clients.push(client);
    client.on('commandStarted', ({ commandName, command }) => {
      if (command.find === 'links' || command.aggregate === 'links') sent.push({ commandName, command });
    });
  },
});
const checkQuery = queryValidator(ListLinksQuery);
const lists = new LinkLists(database, new SearchTexts(database));
try {
  const present = await database.run(() => database.collections.links.countDocuments({ account_id: ACCOUNT }));
  if (present === 0) await loadLinks(clients.at(-1)!.db('waymark_explain'), ACCOUNT, Number(values.links));
  for (const scopeName of ['full_access', 'public_links_only'] as const) {
    const scope = new LinkScope({ accountId: ACCOUNT, scope: scopeName });
    for (const query of QUERIES) {
      sent.length = 0;
      const { q, ...rest } = checkQuery(query);
      await lists.page(scope, rest, parseSearch(q, new Map())!);
      console.log(`${scopeName} ${new URLSearchParams(query as Record<string, string>)}`);
      for (const statement of [...sent]) console.log(`  ${await explained(statement)}`);
    }
  }
} finally {
  await database.close();
}

/** Returns the kind of a statement, the indexes that it read, and what it cost, as the server explains them. */
async function explained({ commandName, command }: Document): Promise<string> {
  const { lsid, $db, $clusterTime, $readPreference, maxTimeMS, ...explain } = command;
  const plan = await clients.at(-1)!.db($db).command({ explain, verbosity: 'executionStats' });
  const indexes = new Set(valuesOf(plan, ['indexName']));
  // In the terms of MongoDB, and of PostgreSQL for DocumentDB.
  const removed = valuesOf(plan, ['Rows Removed by Filter', 'Rows Removed by Index Recheck']);
  const examined = valuesOf(plan, ['totalDocsExamined']);
  const time = valuesOf(plan, ['Execution Time', 'executionTimeMillis']);
  return [
    `${commandName}: ${[...indexes].join(', ') || 'no index'}`,
    ...examined.map((documents) => `${documents} documents read`),
    ...(removed.length === 0 ? [] : [`${Math.max(...removed.map(Number))} documents read in vain`]),
    ...time.slice(0, 1).map((ms) => `${Number(ms).toFixed(1)} ms`),
  ].join('; ');
}

/** Returns the values of fields, wherever they are in a plan, except in the costs of indexes that were not chosen. */
function valuesOf(plan: unknown, names: readonly string[]): unknown[] {
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) => {
    if (name === 'IndexCosts' || name === 'rejectedPlans') return [];
    return names.includes(name) ? [value] : valuesOf(value, names);
  });
}
