import { COMMON_TERM, rareTerm } from '../data/links.ts';
import type { FloorProcess } from '../floors/floor-process.ts';
import type { HttpRequest } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

/** A REST request for links, and the bare Fastify route that performs the equivalent MongoDB operation. */
interface LinksRequest {
  name: string;
  request(): HttpRequest;
  floorName: string;
  floorRequest(): HttpRequest;
  status?: number;
  limits: { service: number | null; gateway: number | null };
  requestsPerRound: number;
  connectionsMax?: number;
}

/** A search reads every link of the account, so that concurrent searches on a busy machine could time out. */
const SEARCHES_AT_ONCE = 1;

/**
 * Prepares the requests for links, ordered so that none changes the data of a later one: list, searches, get, update,
 * create.
 */
export async function linksWorks(world: World): Promise<Work[]> {
  const floor = await world.startFloor('mongodb', {
    MONGODB_URL: world.stack.mongodbUrl,
    MONGODB_DATABASE: world.databaseName,
    ACCOUNT_ID: world.account.id,
  });
  return requests(world).map((one) => linksWork(world, floor, one));
}

function requests({ links }: World): LinksRequest[] {
  const randomId = () => links[Math.floor(Math.random() * links.length)]!.id;
  const rare = rareTerm(links.length >> 1);
  const input = () => ({
    destination_url: 'https://example.com/summer/offers?item=7',
    title: `Summer ${Math.random()}`,
    description: 'All that is on offer this summer',
    hashtags: ['summer', 'offers'],
  });
  const search = (term: string, which: string): LinksRequest => ({
    name: `search links, ${which}`,
    request: () => ({ path: `/api/v1/links?q=${term}` }),
    floorName: 'Fastify, a find of all texts, and one of 25',
    floorRequest: () => ({ path: `/search?q=${term}` }),
    limits: { service: null, gateway: null },
    requestsPerRound: 1,
    connectionsMax: SEARCHES_AT_ONCE,
  });
  return [
    {
      name: 'list 25 links',
      request: () => ({ path: '/api/v1/links' }),
      floorName: 'Fastify, one find of 25',
      floorRequest: () => ({ path: '/links' }),
      limits: { service: 2, gateway: null },
      requestsPerRound: 100,
    },
    search(COMMON_TERM, 'all match'),
    search(rare, 'one matches'),
    {
      name: 'get a link',
      request: () => ({ path: `/api/v1/links/${randomId()}` }),
      floorName: 'Fastify, one findOne by id',
      floorRequest: () => ({ path: `/links/${randomId()}` }),
      limits: { service: null, gateway: 2.5 },
      requestsPerRound: 500,
    },
    {
      name: 'update a link',
      request: () => ({ path: `/api/v1/links/${randomId()}`, method: 'PUT', json: input() }),
      floorName: 'Fastify, one updateOne and one findOne',
      floorRequest: () => ({ path: `/links/${randomId()}`, method: 'PUT', json: input() }),
      limits: { service: null, gateway: null },
      requestsPerRound: 500,
    },
    {
      name: 'create a link',
      request: () => ({ path: '/api/v1/links', method: 'POST', json: input() }),
      floorName: 'Fastify, two insertOne',
      floorRequest: () => ({ path: '/links', method: 'POST', json: input() }),
      status: 201,
      limits: { service: 2.5, gateway: null },
      requestsPerRound: 500,
    },
  ];
}

function linksWork(world: World, floor: FloorProcess, one: LinksRequest): Work {
  const { gateway, linksHttp, keyHeaders } = world;
  return {
    name: one.name,
    data: `${world.links.length.toLocaleString('en')} links`,
    requestsPerRound: one.requestsPerRound,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'links-svc',
        limit: one.limits.service,
        send: async () => {
          await linksHttp.send({ ...one.request(), headers: await world.identityHeaders() }, one.status);
        },
        pids: () => world.pidsOf('links-svc'),
      },
      {
        endpoint: 'gateway',
        limit: one.limits.gateway,
        send: async () => {
          await gateway.send({ ...one.request(), headers: keyHeaders }, one.status);
        },
        pids: () => world.pidsOf('gateway', 'links-svc'),
      },
    ],
    floor: {
      name: one.floorName,
      send: async () => {
        await floor.target.send({ ...one.floorRequest(), headers: keyHeaders }, one.status);
      },
      pids: () => [floor.pid],
    },
    databasePids: () => world.databasePids('mongodb'),
    ...(one.connectionsMax === undefined ? {} : { connectionsMax: one.connectionsMax }),
  };
}
