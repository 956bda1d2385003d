import { randomBytes } from 'node:crypto';
import { ANALYTICS_PARTS, type Analytics, LINK_NOT_FOUND_MESSAGE, type Link, type LinkList } from '@waymark/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, messageOfTool } from '../support/mcp.ts';
import {
  type Answer,
  api,
  createAccount,
  createLink,
  eventually,
  follow,
  request,
  type TestAccount,
} from '../support/world.ts';

// docs/api.md, Hidden links, and docs/security.md, "What an agent with a public key can learn": a public key must reveal
// no trace of hidden links, in no response of the whole system, over REST and MCP. Two accounts differ only by hidden or
// deleted links, so every response must be the same for both. What a public key may do is in
// apps/links-svc/test/links.test.ts.

interface World extends TestAccount {
  open: Link;
  /** The id of the account's hidden link, or an id that no link has. */
  hiddenId: string;
}

let withHidden: World;
let without: World;
let hidden: Link;
let locked: Link;
let revealed: Link;

const word = () => randomBytes(6).toString('hex');
const HIDDEN_SOURCE = `s${word()}`;
/** The user agent of a phone. Only hidden links get clicks from it. */
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

beforeAll(async () => {
  const [one, two] = [await createAccount(), await createAccount()];
  const openLinks = async ({ live }: TestAccount) => {
    const link = await createLink(live, { title: 'needle open', hashtags: ['tag'] });
    expect((await follow(link.slug)).status).toBe(302);
    return link;
  };
  const [openOne, openTwo] = [await openLinks(one), await openLinks(two)];
  hidden = await createLink(one.live, {
    title: 'needle hidden',
    destination_url: 'https://secret.example/',
    hashtags: ['secret'],
  });
  locked = await createLink(one.live, { title: 'needle locked', password: 'sesame', hashtags: ['secret'] });
  revealed = await createLink(one.live, { title: 'deleted later' });
  const utm = ['source', 'campaign', 'medium', 'content', 'term']
    .map((name) => `utm_${name}=${HIDDEN_SOURCE}`)
    .join('&');
  for (const { slug } of [hidden, revealed]) {
    expect((await follow(`${slug}?${utm}`, { 'user-agent': PHONE, 'accept-language': 'cy' })).status).toBe(302);
    expect((await follow(`${slug}?${utm}`, { 'user-agent': 'curl/8' })).status).toBe(302);
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': PHONE };
  const opened = await request(`/${locked.slug}`, { method: 'POST', body: 'password=sesame', headers: form });
  expect(opened.status).toBe(303);
  await eventually(async () => expect((await api(one.live).analytics()).body.clicks).toBe(4));
  await eventually(async () => expect((await api(two.live).analytics()).body.clicks).toBe(1));
  // A link's counter may lag behind the analytics. Wait for it, or the accounts differ for a moment.
  await eventually(async () => expect((await api(one.live).get(openOne.id)).body.clicks).toBe(1));
  await eventually(async () => expect((await api(two.live).get(openTwo.id)).body.clicks).toBe(1));
  expect((await api(one.live).update(hidden.id, { visibility: 'private', note: 'secret note' })).status).toBe(200);
  expect((await api(one.live).delete(revealed.id)).status).toBe(204);
  withHidden = { ...one, open: openOne, hiddenId: hidden.id };
  without = { ...two, open: openTwo, hiddenId: `${openTwo.id.slice(0, -4)}zzzz` };
});

/** Returns the response without the parts that differ between any two links, accounts or times. */
function alike({ status, headers, body }: Answer, { open, username }: World) {
  const text = JSON.stringify(body)
    .replaceAll(open.id, 'ID')
    .replaceAll(open.slug, 'SLUG')
    .replaceAll(username, 'NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  const names = [...headers.keys()].filter((name) => name !== 'date').sort();
  return { status, names, link: headers.get('link'), length: text.length, text };
}

async function expectAlike(ask: (world: World) => Promise<Answer>): Promise<Answer> {
  const answer = await ask(withHidden);
  expect(alike(answer, withHidden)).toEqual(alike(await ask(without), without));
  const text = JSON.stringify(answer.body);
  for (const trace of [hidden.id, hidden.slug, locked.id, locked.slug, 'secret', HIDDEN_SOURCE])
    expect(text).not.toContain(trace);
  return answer;
}

describe('over REST there is no trace of a hidden link', () => {
  const LISTS = [
    '',
    '?q=needle',
    '?q=hidden',
    '?q=secret',
    '?q=locked',
    '?per=1&page=2',
    ...['created_at', 'title', 'slug', 'clicks'].map((sort) => `?per=1&sort=${sort}&dir=asc`),
  ];
  test('in lists, their totals and searches', async () => {
    for (const query of LISTS) {
      const { body } = (await expectAlike((world) => api(world.public).list(query))) as Answer<LinkList>;
      expect([query, body.total]).toEqual([query, /hidden|secret|locked/.test(query) ? 0 : 1]);
    }
  });

  test('in the analytics: clicks, days, devices, sources, top links', async () => {
    for (const query of ['', '?days=1', '?days=365&tz=Asia/Kathmandu', '?source=direct']) {
      const { body } = (await expectAlike((world) => api(world.public).analytics(query))) as Answer<Analytics>;
      expect(body.clicks).toBe(1);
      expect(body.sources).toEqual([{ source: 'direct', clicks: 1 }]);
      expect(body.devices).toEqual([{ device: 'desktop', clicks: 1 }]);
    }
  });

  const PARTS = [
    `?include=${ANALYTICS_PARTS.join()}`,
    `?include=${ANALYTICS_PARTS.join()}&days=1&tz=Asia/Kathmandu`,
    '?include=previous&top=100&top_by=growth',
    '?hashtag=tag',
    '?country=unknown&include=countries',
    '?device=desktop&include=browsers,operating_systems',
    '?host=default&include=hosts',
    '?language=unknown&include=languages',
    '?cross=host,day',
    '?cross=language,source',
    '?cross=host,hashtag',
    '?cross=day,hashtag&hashtag=tag',
  ];
  test('in any further part of the analytics', async () => {
    for (const query of PARTS) {
      const { status, body } = (await expectAlike((world) => api(world.public).analytics(query))) as Answer<Analytics>;
      expect([query, status, body.clicks]).toEqual([query, 200, 1]);
      expect(body.top_links.map(({ id }) => id)).toEqual([withHidden.open.id]);
    }
  });

  test('in the analytics of what only hidden links have, which are zeros', async () => {
    const ofHidden = ['device=mobile', 'os=ios', 'browser=safari', 'language=cy'];
    for (const filter of [...ofHidden, 'hashtag=never', 'hashtag=tag&device=mobile']) {
      const query = `?${filter}&include=${ANALYTICS_PARTS.join()}`;
      const { body } = (await expectAlike((world) => api(world.public).analytics(query))) as Answer<Analytics>;
      expect([filter, body.clicks, body.visitors, body.top_links]).toEqual([filter, 0, 0, []]);
    }
  });

  test('the analytics of a hashtag of hidden links only look like those of one that no link has', async () => {
    const ask = async (hashtag: string) => {
      const { body } = await api(withHidden.public).analytics(`?hashtag=${hashtag}&include=visitors,previous`);
      return JSON.stringify(body).replaceAll(hashtag, 'TAG');
    };
    expect(await ask('secret')).toBe(await ask(`t${word()}`));
    expect((await api(withHidden.live).analytics('?hashtag=secret')).body.clicks).toBe(2);
  });

  test('the analytics of a hidden link are 404, as for an id that no link has', async () => {
    for (const rest of ['', '&days=1', '&hashtag=secret', '&device=mobile&include=visitors']) {
      const answer = await expectAlike((world) => api(world.public).analytics(`?link_id=${world.hiddenId}${rest}`));
      expect([answer.status, answer.body]).toEqual([404, { error: LINK_NOT_FOUND_MESSAGE }]);
    }
    for (const name of [locked.id, locked.slug, hidden.slug.toUpperCase(), encodeURIComponent(hidden.short_url)]) {
      const answer = await expectAlike((world) => api(world.public).analytics(`?link_id=${name}`));
      expect([answer.status, answer.body]).toEqual([404, { error: LINK_NOT_FOUND_MESSAGE }]);
    }
    for (const { id } of [hidden, locked])
      expect((await api(withHidden.live).analytics(`?link_id=${id}`)).body.clicks).toBe(1);
  });

  test('a source of hidden or deleted links only looks like an unknown one', async () => {
    const sources = { known: HIDDEN_SOURCE, never: `s${word()}` };
    for (const [filter, days] of [
      ['source', 1],
      ['source', 30],
      ['source', 365],
      ['utm_campaign', 30],
    ] as const) {
      const ask = async (source: string) => {
        const { body } = await api(withHidden.public).analytics(`?days=${days}&${filter}=${source}`);
        return JSON.stringify(body).replaceAll(source, 'SOURCE');
      };
      expect(await ask(sources.known)).toBe(await ask(sources.never));
    }
  });

  const REQUESTS: [string, (key: string, id: string) => Promise<Answer>][] = [
    ['GET', (key, id) => api(key).get(id)],
    ['HEAD', (key, id) => request(`/api/v1/links/${id}`, { method: 'HEAD', key })],
    ['an update', (key, id) => api(key).update(id, { title: 'x' })],
    ['an empty update', (key, id) => api(key).update(id, {})],
    ['an update to a slug that is taken', (key, id) => api(key).update(id, { slug: hidden.slug })],
    ['an update that is not valid', (key, id) => api(key).update(id, { title: 7 })],
    ['an update that the key may not make', (key, id) => api(key).update(id, { visibility: 'private' })],
    ['an update with a password', (key, id) => api(key).update(id, { password: 'x' })],
    ['a deletion', (key, id) => api(key).delete(id)],
  ];
  test('in any request for one, which gets the response of an unknown link', async () => {
    const mask = ({ status, headers, body }: Answer) => ({
      status,
      names: [...headers.keys()].sort(),
      text: JSON.stringify(body),
    });
    for (const [what, ask] of REQUESTS)
      for (const { id, slug, short_url, title } of [hidden, locked]) {
        for (const name of [id, slug, slug.toUpperCase(), encodeURIComponent(short_url)]) {
          const answer = mask(await ask(withHidden.public, name));
          expect(answer, what).toEqual(mask(await ask(withHidden.public, without.hiddenId)));
          expect(answer, what).toEqual(mask(await ask(without.public, name)));
        }
        expect((await api(withHidden.live).get(id)).body.title).toBe(title);
      }
  });

  test('the slug of a hidden link is refused like any taken slug, in any case, on create and on update', async () => {
    for (const taken of [hidden.slug, hidden.slug.toUpperCase(), locked.slug]) {
      await expectSlugTaken(taken, (world) =>
        api(world.public).create({ destination_url: 'https://e.com', slug: taken }),
      );
      await expectSlugTaken(taken, (world) => api(world.public).update(world.open.id, { slug: taken }));
      await expectSlugTaken(taken, async (world) => {
        const answer = await api(world.public).bulk([{ op: 'upsert', link: { slug: taken, title: 'x' } }]);
        const { status, ...body } = answer.body.results[0]!;
        return { ...answer, status, body };
      });
    }
  });

  test('an Idempotency-Key reveals nothing about its link', async () => {
    const body = { destination_url: 'https://e.com/once', title: 'as it was' };
    const headers = () => ({ 'idempotency-key': word() });
    const repeatAfter = async (change: (link: Link) => Promise<Answer>) => {
      const key = headers();
      const first = await api(withHidden.public).create(body, key);
      expect((await change(first.body)).status).toBeLessThan(300);
      return { first, second: await api(withHidden.public).create(body, key) };
    };
    const hidden = await repeatAfter((link) =>
      api(withHidden.live).update(link.id, { visibility: 'private', note: 'secret' }),
    );
    expect([hidden.second.status, hidden.second.body]).toEqual([404, { error: 'Link not found.' }]);
    const deleted = await repeatAfter((link) => api(withHidden.live).delete(link.id));
    expect([deleted.second.status, deleted.second.body]).toEqual([201, deleted.first.body]);
    // Idempotency keys are also separate per scope.
    const ownersKey = headers();
    const owners = await api(withHidden.live).create({ ...body, visibility: 'private' }, ownersKey);
    const agents = await api(withHidden.public).create(body, ownersKey);
    expect(agents.status).toBe(201);
    expect(agents.body.id).not.toBe(owners.body.id);
    for (const id of [owners.body.id, agents.body.id]) await api(withHidden.live).delete(id);
  });
});

describe('over MCP', () => {
  test('lists, analytics and errors are those of an account without hidden links', async () => {
    const answers = await Promise.all(
      [withHidden, without].map(async (world) => {
        const mcp = await connectMcp(world.public);
        const results = [
          await mcp.call('list_links', { per: 1 }),
          await mcp.call('list_links', { q: 'hidden' }),
          await mcp.call('get_analytics', { days: 7 }),
          await mcp.call('get_analytics', { source: HIDDEN_SOURCE }),
          await mcp.call('get_analytics', { include: ANALYTICS_PARTS.join() }),
          await mcp.call('get_analytics', { device: 'mobile', include: 'visitors' }),
          await mcp.call('get_analytics', { link_id: world.hiddenId }),
          await mcp.call('update_link', { id: world.hiddenId, title: 'x' }),
          await mcp.call('delete_link', { id: world.hiddenId }),
          await mcp.call('get_analytics', { link_id: hidden.slug }),
          await mcp.call('update_link', { id: hidden.slug, title: 'x' }),
          await mcp.call('delete_link', { id: hidden.short_url }),
          await mcp.call('update_link', { id: world.hiddenId, visibility: 'private' }),
          await mcp.call('create_link', { destination_url: 'https://e.com', slug: hidden.slug }),
        ];
        await mcp.close();
        return results.map(({ isError, text }) =>
          alike({ status: Number(isError), headers: new Headers(), body: text }, world),
        );
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    for (const missing of [6, 7, 8, 9, 10, 11])
      expect(JSON.parse(answers[0]![missing]!.text)).toBe(messageOfTool(LINK_NOT_FOUND_MESSAGE));
  });
});

async function expectSlugTaken(slug: string, ask: (world: World) => Promise<Answer>): Promise<void> {
  const own = await ask(withHidden);
  expect(own.status).toBe(422);
  expect((own.body as unknown as { error: string }).error).toBe(
    `"slug" ${JSON.stringify(slug)} is taken; choose another one.`,
  );
  expect((await ask(without)).body).toEqual(own.body);
}
