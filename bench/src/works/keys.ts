import { ACTIONS } from '@waymark/contract';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { OLDEST_HASHTAG } from '../data/links.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

/** A request with a restricted key costs no more than one with the public key; the rest is noise. */
const LIMIT = 1.15;

/** Prepares requests with restricted keys of the scope of the public key. The floor is the public key. */
export async function keysWorks(world: World): Promise<Work[]> {
  const anyLink = await createRestrictedKey(world);
  const tagged = await createRestrictedKey(world, OLDEST_HASHTAG);
  const { id } = await firstLinkOf(world, tagged);
  const get = `/api/v1/links/${id}`;
  const ofHashtag = `/api/v1/links?hashtag=${OLDEST_HASHTAG}`;
  return [
    workOf(world, 'get a link, restricted key', anyLink, get, get),
    workOf(world, 'get a link, key of a hashtag', tagged, get, get),
    workOf(world, 'list 25 links, restricted key', anyLink, '/api/v1/links', '/api/v1/links'),
    workOf(world, 'list 25 links, key of a hashtag', tagged, '/api/v1/links', ofHashtag),
  ];
}

function workOf(world: World, name: string, key: string, path: string, publicPath: string): Work {
  const { gateway, account } = world;
  const sendAs = (key: string, path: string) => async () =>
    void (await gateway.send({ path, headers: { authorization: `Bearer ${key}` } }));
  const pids = () => world.pidsOf('gateway', 'links-svc');
  return {
    name,
    data: `${world.links.length.toLocaleString('en')} links`,
    requestsPerRound: 200,
    measure: 'cpu',
    endpoints: [{ endpoint: 'gateway', limit: LIMIT, send: sendAs(key, path), pids }],
    floor: { name: 'the same with the public key', send: sendAs(account.publicKey, publicPath), pids },
    databasePids: () => world.databasePids('mongodb'),
  };
}

async function createRestrictedKey({ stack, account, serviceIdentity }: World, hashtag?: string): Promise<string> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const key = { username: account.username, name: 'bench', scope: 'public_links_only', actions: [...ACTIONS] };
  try {
    const identity = await serviceIdentity('admin');
    const request = { ...key, ...(hashtag !== undefined && { hashtag }) };
    return (await accounts.createRestrictedKey(request, { timeoutMs: 5_000, identity })).secret;
  } finally {
    accounts.close();
  }
}

async function firstLinkOf({ gateway }: World, key: string): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${key}` };
  const { links } = JSON.parse(await gateway.send({ path: '/api/v1/links?per=1', headers })) as {
    links: { id: string }[];
  };
  return links[0]!;
}
