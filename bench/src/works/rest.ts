import { COMMON_TERM, OLDEST_HASHTAG, rareTerm, WORDS } from '../data/links.ts';
import type { FloorProcess } from '../floors/floor-process.ts';
import type { HttpRequest } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

/** A row of a table of works: a request of the REST API, and the route of the floor that does the least for it. */
interface Row {
  name: string;
  request(): HttpRequest;
  floorName: string;
  floorRequest(): HttpRequest;
  status?: number;
  limits?: { service?: number; gateway?: number };
  requestsPerRound: number;
  connectionsMax?: number;
}

const CREATIONS = 100;
/** A bulk request costs at most a fifth of as many requests. */
const BULK_LIMIT = 1 / 5;
/** A search gives up after 4 seconds. On a busy machine, the texts of a large account take longer to load. */
const LOAD_TRIES = 10;

/** Prepares requests for links, ordered so that none changes the data of a later one. */
export async function linksWorks(world: World): Promise<Work[]> {
  const { links } = world;
  const randomId = () => links[Math.floor(Math.random() * links.length)]!.id;
  const create = {
    request: () => ({ path: '/api/v1/links', method: 'POST', json: newLink() }) as const,
    floorName: 'Fastify, two insertOne',
    floorRequest: () => ({ path: '/links', method: 'POST', json: newLink() }) as const,
    status: 201,
  };
  const rows: Row[] = [
    {
      name: 'list 25 links',
      request: () => ({ path: '/api/v1/links' }),
      ...FIND_25,
      limits: { service: 2 },
      requestsPerRound: 100,
    },
    {
      name: 'get a link',
      request: () => ({ path: `/api/v1/links/${randomId()}` }),
      floorName: 'Fastify, one findOne by id',
      floorRequest: () => ({ path: `/links/${randomId()}` }),
      limits: { gateway: 2.5 },
      requestsPerRound: 500,
    },
    {
      name: 'update a link',
      request: () => ({ path: `/api/v1/links/${randomId()}`, method: 'PUT', json: newLink() }),
      floorName: 'Fastify, one findOneAndUpdate',
      floorRequest: () => ({ path: `/links/${randomId()}`, method: 'PUT', json: newLink() }),
      requestsPerRound: 500,
    },
    { name: 'create a link', ...create, limits: { service: 2.5 }, requestsPerRound: 500 },
    { name: 'create a link, one client', ...create, requestsPerRound: 100, connectionsMax: 1 },
  ];
  const floor = await mongodbFloor(world);
  return [...rows.map((row) => workOf(world, floor, row)), bulkWork(world)];
}

/** Prepares lists and searches of one client, for both keys. */
export async function listsWorks(world: World): Promise<Work[]> {
  const few = `q=${rareTerm(world.links.length >> 1)}`;
  const many = `q=${COMMON_TERM}`;
  const queries: [name: string, queries: readonly string[]][] = [
    '',
    'sort=title',
    'hashtag=summer',
    `hashtag=${OLDEST_HASHTAG}`,
    'domain=example.com',
    'last_clicked_before=2026-01-01',
    few,
    many,
    `${many}&sort=title`,
    `${many}&hashtag=summer`,
    `${many}&hashtag=summer&sort=title`,
    `${many}&hashtag=${OLDEST_HASHTAG}`,
    `${few}&domain=example.com`,
    `${many}&domain=example.com`,
    `${many}&last_clicked_before=2026-01-01`,
  ].map((query) => [query, [query]]);
  queries.push(['different searches, one match', Array.from({ length: 1_000 }, (_, n) => `q=${rareTerm(n)}`)]);
  queries.push(['different searches, most match', WORDS.map((word) => `q=${word}`)]);
  await untilTextsAreLoaded(world, few);
  const floor = await mongodbFloor(world);
  const publicKey = { authorization: `Bearer ${world.account.publicKey}` };
  const keys = { 'full key': world.keyHeaders, 'public key': publicKey };
  return Object.entries(keys).flatMap(([key, headers]) =>
    queries.map(([name, each]) => {
      let sent = 0;
      const request = () => ({ path: `/api/v1/links?${each[sent++ % each.length]}` });
      const shown = `list: ${name || 'all'}, ${key}`;
      const row = { name: shown, request, ...FIND_25, requestsPerRound: 20, connectionsMax: 1 };
      return workOf({ ...world, keyHeaders: headers }, floor, row, ['gateway']);
    }),
  );
}

const FIND_25 = { floorName: 'Fastify, one find of 25', floorRequest: () => ({ path: '/links' }) };

function newLink() {
  return {
    destination_url: 'https://example.com/summer/offers?item=7',
    title: `Summer ${Math.random()}`,
    description: 'All that is on offer this summer',
    hashtags: ['summer', 'offers'],
  };
}

function mongodbFloor(world: World): Promise<FloorProcess> {
  return world.startFloor('mongodb', {
    MONGODB_URL: world.stack.mongodbUrl,
    MONGODB_DATABASE: world.databaseName,
    ACCOUNT_ID: world.account.id,
  });
}

/** The database answers the first search, and its successors wait for the load. */
async function untilTextsAreLoaded({ gateway, keyHeaders: headers }: World, query: string): Promise<void> {
  for (let [tries, answered] = [1, 0]; answered < 2; tries++) {
    try {
      await gateway.send({ path: `/api/v1/links?${query}`, headers });
      answered += 1;
    } catch (error) {
      if (tries === LOAD_TRIES) throw error;
    }
  }
}

function workOf(world: World, floor: FloorProcess, row: Row, at = ['links-svc', 'gateway']): Work {
  const { gateway, linksHttp, keyHeaders, identityHeaders } = world;
  const { limits = {}, connectionsMax } = row;
  return {
    name: row.name,
    data: `${world.links.length.toLocaleString('en')} links`,
    requestsPerRound: row.requestsPerRound,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'links-svc',
        limit: limits.service ?? null,
        send: async () =>
          void (await linksHttp.send({ ...row.request(), headers: await identityHeaders() }, row.status)),
        pids: () => world.pidsOf('links-svc'),
      },
      {
        endpoint: 'gateway',
        limit: limits.gateway ?? null,
        send: async () => void (await gateway.send({ ...row.request(), headers: keyHeaders }, row.status)),
        pids: () => world.pidsOf('gateway', 'links-svc'),
      },
    ].filter(({ endpoint }) => at.includes(endpoint)),
    floor: {
      name: row.floorName,
      send: async () => void (await floor.target.send(row.floorRequest(), row.status)),
      pids: () => [floor.pid],
    },
    databasePids: () => world.databasePids('mongodb'),
    ...(connectionsMax !== undefined && { connectionsMax }),
  };
}

/** Prepares 100 creations in one request. The floor is our own: 100 requests. */
function bulkWork(world: World): Work {
  const { gateway, keyHeaders: headers } = world;
  const links = () => Array.from({ length: CREATIONS }, newLink);
  const pids = () => world.pidsOf('gateway', 'links-svc');
  return {
    name: `create ${CREATIONS} links in one request`,
    requestsPerRound: 2,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'gateway',
        limit: BULK_LIMIT,
        send: async () => {
          const operations = links().map((link) => ({ op: 'create', link }));
          await gateway.send({ path: '/api/v1/links/bulk', method: 'POST', json: { operations }, headers });
        },
        pids,
      },
    ],
    floor: {
      name: `${CREATIONS} requests`,
      send: async () => {
        for (const json of links()) await gateway.send({ path: '/api/v1/links', method: 'POST', json, headers }, 201);
      },
      pids,
    },
    databasePids: () => world.databasePids('mongodb'),
    connectionsMax: 1,
  };
}
