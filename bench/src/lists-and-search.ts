// Measures lists and searches of one account on the embedded MongoDB, or on that of MONGODB_URL: a page with its total
// against the bare `find` of the page, searches in memory, and creations. `--links N` sets how many links the account
// has (10,000).
import { parseArgs } from 'node:util';
import { type Db, MongoClient } from 'mongodb';
import type { LinkDocument } from '../../apps/links-svc/src/database/documents/link.ts';
import { stateOf } from '../../apps/links-svc/src/links/link-keys.ts';
import { threadsCpuMs } from './cpu-time.ts';
import { COMMON_TERM, logChange, rareTerm, WORDS } from './data/links.ts';
import { drive, type SendRequest } from './load.ts';
import { openWorld, type World } from './world.ts';

const CONNECTIONS = 4;
const DURATION_MS = 4_000;
const OLDEST = 3_000;
/** A search gives up after 4 seconds. */
const LOAD_TRIES = 10;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { links: { type: 'string', default: '10000' } },
});
const size = { links: Number(values.links), analyticsReplicas: 1 };
const { MONGODB_URL: mongodbUrl, CLICKHOUSE_URL: clickhouseUrl } = process.env;
const world = await openWorld({ mongodbUrl, clickhouseUrl }, size);
const client = new MongoClient(world.stack.mongodbUrl);
try {
  const links = client.db(world.databaseName).collection<LinkDocument>('links');
  const { id, publicKey } = world.account;
  const publicHeaders = { authorization: `Bearer ${publicKey}` };
  const page = { account_id: id, _id: { $gt: id, $lt: `${id}~` }, state: stateOf('public', false) };
  const get = (query: string, headers = world.keyHeaders) => getEach([query], headers);
  const getEach = (queries: readonly string[], headers = world.keyHeaders) => {
    let sent = 0;
    return async () => {
      const path = `/api/v1/links?${queries[sent++ % queries.length]}`;
      await world.gateway.send({ path, headers });
    };
  };
  const find = (filter: object) => async () =>
    void (await links
      .find(filter, { projection: { search_text: 0 }, hint: '_id_' })
      .sort({ _id: -1 })
      .limit(25)
      .toArray());

  await measure('bare find', world, find(page), 1);
  await measure('page and total', world, get(''), 1);
  await measure('bare find, public key', world, find({ ...page, hidden: false }), 1);
  await measure('page and total, public key', world, get('', publicHeaders), 1);
  for (const query of ['sort=title', 'hashtag=summer', 'domain=example.com', 'last_clicked_before=2026-01-01'])
    await measure(query, world, get(query), 1);
  const few = `q=${rareTerm(Math.floor(size.links / 2))}`;
  const many = `q=${COMMON_TERM}`;
  await untilLoaded(get(few));
  for (const query of [few, many, `${many}&sort=title`]) {
    await measure(query, world, get(query), 1);
    await measure(`${query}, ${CONNECTIONS} at once`, world, get(query), CONNECTIONS);
  }
  const numbers = Array.from({ length: 1_000 }, (_, number) => `q=${rareTerm(number)}`);
  await measure('different searches, one match', world, getEach(numbers), 1);
  await measure(`different searches, one match, ${CONNECTIONS} at once`, world, getEach(numbers), CONNECTIONS);
  const words = WORDS.map((word) => `q=${word}`);
  await measure('different searches, most match', world, getEach(words), 1);
  await measure(`different searches, most match, ${CONNECTIONS} at once`, world, getEach(words), CONNECTIONS);
  await tagOldest(client.db(world.databaseName), id);
  await untilLoaded(get(few));
  for (const query of [
    'hashtag=oldest',
    `${many}&hashtag=oldest`,
    `${many}&hashtag=summer`,
    `${many}&hashtag=summer&sort=title`,
    `${few}&domain=example.com`,
    `${many}&domain=example.com`,
    `${many}&last_clicked_before=2026-01-01`,
  ])
    await measure(query, world, get(query), 1);
  const json = { destination_url: 'https://example.com/', title: 'A title', hashtags: ['a', 'b'] };
  const path = '/api/v1/links';
  const create = { path, method: 'POST', headers: world.keyHeaders, json } as const;
  await measure('create', world, async () => void (await world.gateway.send(create, 201)), CONNECTIONS);
} finally {
  await client.close();
  await world.close();
}

/** Gives the oldest links of the account a hashtag. A list of them finds none among the newest links. */
async function tagOldest(database: Db, accountId: string): Promise<void> {
  const links = database.collection<LinkDocument>('links');
  const oldest = await links
    .find({ _id: { $gt: accountId } }, { projection: { _id: 1 }, hint: '_id_' })
    .sort({ _id: 1 })
    .limit(OLDEST)
    .toArray();
  await links.updateMany({ _id: { $in: oldest.map(({ _id }) => _id) } }, { $set: { hashtags: ['oldest'] } });
  await logChange(database, accountId);
}

/** Searches until the texts of the account are loaded, which may take longer than a search. */
async function untilLoaded(search: SendRequest): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await search();
    } catch (error) {
      if (tries === LOAD_TRIES) throw error;
    }
  }
}

/** Prints the rate, the median latency, and the CPU time for each request: of the services, and of an embedded database. */
async function measure(
  name: string,
  { databasePids, pidsOf }: World,
  send: SendRequest,
  connections: number,
): Promise<void> {
  const load = { connections, durationMs: DURATION_MS, maxRequests: Number.POSITIVE_INFINITY };
  await drive(send, { ...load, durationMs: DURATION_MS / 4 });
  const pids = databasePids('mongodb');
  const services = pidsOf('gateway', 'links-svc');
  const [before, began] = [[services, pids].map(threadsCpuMs), performance.now()];
  const latencies = (await drive(send, load)).sort((a, b) => a - b);
  const seconds = (performance.now() - began) / 1_000;
  const [servicesMs, databaseMs] = [services, pids].map(
    (some, at) => (threadsCpuMs(some) - before[at]!) / latencies.length,
  );
  const columns = [
    `${(latencies.length / seconds).toFixed(0)}/s`,
    `p50 ${latencies[Math.floor(latencies.length / 2)]!.toFixed(1)} ms`,
    `services ${servicesMs!.toFixed(2)} ms`,
    pids.length === 0 ? '' : `database ${databaseMs!.toFixed(2)} ms`,
  ];
  console.log(`${name.padEnd(48)}${columns.map((column) => column.padStart(18)).join('')}`);
}
