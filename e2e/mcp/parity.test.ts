import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type {
  Analytics,
  BulkResults,
  BulkToolResults,
  EventList,
  Job,
  JobResult,
  Link,
  LinkList,
} from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, messageOfTool, withoutExample } from '../support/mcp.ts';
import { api, createAccount, createLink, eventually, follow, request, stack } from '../support/world.ts';

// docs/api.md, MCP: the same call over REST and MCP returns the same JSON or message. docs/mcp.md, Tools, has the
// exceptions: a tool treats null as a missing argument and does not offer it, its messages for a missing link and for a
// missing or unknown argument say more, get_me says that it takes no arguments, and what is too long for a model is cut.
// Makes hundreds of random valid and invalid calls, with both kinds of key and both protocol revisions.

/** The result of a call over REST or MCP: the JSON on success, or the message of a rejection. */
type Outcome = { ok: unknown; image?: string } | { refused: string };

interface Endpoints {
  key: string;
  rest(method: string, path: string, body?: unknown): Promise<Outcome>;
  mcp(tool: string, args: Record<string, unknown>): Promise<Outcome>;
}

type Caller = 'live 2025' | 'live 2026' | 'public 2025' | 'public 2026';
const endpoints = {} as Record<Caller, Endpoints>;
const clients: (Client2025 | Client2026)[] = [];
/** `changed` is updated over both REST and MCP. A Public Links Only key must not see `hidden`. */
let changed: Link;
let hidden: Link;
const TAKEN_SLUG = `Taken-${Math.random().toString(36).slice(2)}`;

beforeAll(async () => {
  const account = await createAccount();
  changed = await createLink(account.live, { title: 'changed' });
  hidden = await createLink(account.live, { title: 'hidden', visibility: 'private', hashtags: ['seen'] });
  const visited = await createLink(account.live, { title: 'visited', slug: TAKEN_SLUG, hashtags: ['seen'] });
  const secret = await createLink(account.live, { title: 'secret', visibility: 'public' });
  for (const { slug } of [visited, visited, secret]) {
    expect((await follow(slug, { referer: 'https://news.example.org/' })).status).toBe(302);
    expect((await follow(`${slug}?utm_source=Mail`)).status).toBe(302);
  }
  await api(account.live).update(secret.id, { visibility: 'private' });
  await eventually(async () => {
    expect((await api(account.live).analytics()).body.clicks).toBe(6);
    expect((await api(account.public).analytics()).body.clicks).toBe(4);
    expect((await api(account.live).get(visited.id)).body.clicks).toBe(4);
    expect((await api(account.live).get(secret.id)).body.clicks).toBe(2);
  });
  for (const [name, key] of [
    ['live', account.live],
    ['public', account.public],
  ] as const)
    for (const era of [2025, 2026] as const) endpoints[`${name} ${era}`] = await openEndpoints(key, era);
});
afterAll(() => Promise.all(clients.map((client) => client.close())));

async function openEndpoints(key: string, era: 2025 | 2026): Promise<Endpoints> {
  const client = await connect(key, era);
  // After this call the client validates all structured content against the listed output schemas.
  await client.listTools();
  return {
    key,
    async rest(method, path, body) {
      const { status, body: json } = await request<{ error?: string }>(path, {
        method,
        key,
        ...(body !== undefined && { json: body }),
      });
      if (status < 400) return { ok: json };
      expect(status, JSON.stringify(json)).toBeLessThan(500);
      expect(Object.keys(json)).toEqual(['error']);
      return { refused: json.error! };
    },
    async mcp(tool, args) {
      const result = await callTool(client, tool, args);
      const [content, ...others] = result.content;
      if (result.isError === true) return { refused: refusalOf(content!.text) };
      const image = others.find(({ type, mimeType }) => type === 'image' && mimeType === 'image/png');
      if (image === undefined) expect(content!.text).toBe(JSON.stringify(result.structuredContent));
      return { ok: JSON.parse(content!.text), ...(image !== undefined && { image: image.data }) };
    },
  };
}

/** Returns the message of a tool without its example, which must be there if one of its arguments is missing or unknown. */
function refusalOf(message: string): string {
  const mustHaveExample = /^"[^".[]+" is (required\.|not a known field; the known ones)/.test(message);
  if (mustHaveExample) expect(message).toMatch(/ Expected: \{.*\}/);
  return withoutExample(message);
}

async function connect(key: string, era: 2025 | 2026): Promise<Client2025 | Client2026> {
  const info = { name: 'waymark-parity', version: '1.0.0' };
  const url = new URL(`${stack.publicUrl}/mcp`);
  const init = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
  if (era === 2025) {
    const client = new Client2025(info);
    await client.connect(new Transport2025(url, init) as Transport);
    clients.push(client);
    return client;
  }
  const client = new Client2026(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new Transport2026(url, init));
  clients.push(client);
  return client;
}

/** A share of the runs of the long form. */
const LENGTH = Number(process.env.PARITY_LENGTH ?? 0.2);

const anyCaller = fc.constantFrom<Caller>('live 2025', 'live 2026', 'public 2025', 'public 2026');
const anyText = fc.string({ unit: 'binary', maxLength: 30 });
/** Arbitrary values, most of them invalid for the argument that they are sent as. */
const anything = fc.oneof(
  { weight: 4, arbitrary: anyText },
  fc.constantFrom<unknown>(null, '', 'x'.repeat(300), '😀'.repeat(201), '\ud800', 'a\u0000b', 1, -1, 1.5, 1e300, false),
  fc.constantFrom<unknown>([], {}, [null], ['a'], [['a']], { $gt: '' }),
);
const oftenly = (right: fc.Arbitrary<unknown>) => fc.oneof({ weight: 3, arbitrary: right }, anything);

/** Values of a number. A tool also understands one as text, and 0 as null. */
const number = (right: fc.Arbitrary<unknown>) =>
  oftenly(right).filter((value) => typeof value !== 'string' || !/\d/.test(value));

const writable = {
  destination_url: oftenly(
    fc.constantFrom('https://example.com/', 'http://ü.example/ä?b=c#d', 'ftp://x', 'https://u:p@x', '/a'),
  ),
  slug: oftenly(fc.constantFrom('API', 'docs', '-a', 'a b', 'x'.repeat(65), TAKEN_SLUG, TAKEN_SLUG.toUpperCase())),
  title: oftenly(anyText),
  description: oftenly(anyText),
  note: oftenly(anyText),
  hashtags: oftenly(
    fc.array(fc.constantFrom('a', '#B', 'b', 'ü', 'x y', '', '日本', 'x'.repeat(51)), { maxLength: 22 }),
  ),
  visibility: oftenly(fc.constantFrom('public', 'unlisted', 'private', 'password-protected')),
  password: oftenly(fc.constantFrom('secret', '', 'x'.repeat(129))),
  expires_at: oftenly(
    fc.constantFrom('2090-01-31T12:00:00Z', '2020-01-01T00:00:00+14:00', '', '2090-01-31', 'tomorrow'),
  ),
  expired_url: oftenly(fc.constantFrom('https://example.com/over', '', '/over', 'ftp://x')),
  archived: oftenly(fc.boolean()),
  social_title: oftenly(anyText),
  social_description: oftenly(anyText),
  social_image_url: oftenly(fc.constantFrom('https://example.com/a.png', '', 'http://example.com/a.png', '/a.png')),
  max_clicks: number(fc.constantFrom(1, 1_000_001, -1, 1.5)),
  redirect_code: number(fc.constantFrom(301, 302, 303, 308.5)),
  rules: oftenly(
    fc.constantFrom([{ to: 'https://example.com/', share: 5 }], [{ to: 'https://example.com/' }], [{ share: 1 }], []),
  ),
  managed_by: oftenly(fc.constantFrom('team-a', '', 'a b', 'x'.repeat(65))),
};
/** Fields that clients must not send. */
const refusedFields = { clicks: anything, short_url: anything, created_at: anything, nope: anything };

/** Returns up to three of the fields, so that not every call is rejected for the same reason. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .subarray(Object.keys(fields), { maxLength: 3 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fields[name]!])), { noNullPrototype: true }),
    );
}

/** Returns the REST body for these arguments of update_link, which treats null as a missing argument. */
function bodyOf(sent: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => value !== null || !Object.hasOwn(writable, name)),
  );
}

/** Converts a REST outcome to the outcome that a tool must have. */
function ofTool(outcome: Outcome): Outcome {
  return 'refused' in outcome ? { refused: messageOfTool(outcome.refused) } : outcome;
}

/** Returns the outcome of a tool whose `id` is in the path of REST, so that REST does not list it as a field. */
function ofPath(outcome: Outcome): Outcome {
  return 'refused' in outcome ? { refused: outcome.refused.replace('ones are id, ', 'ones are ') } : outcome;
}

/** Returns the outcome without the parts that differ between two links created from the same input. */
function comparable(outcome: Outcome, sent: Record<string, unknown>): unknown {
  if ('refused' in outcome) return outcome;
  const { id, slug, short_url, created_at, updated_at, ...rest } = outcome.ok as Link;
  expect([id, slug, short_url, created_at, updated_at].every((value) => typeof value === 'string')).toBe(true);
  return sent.slug === undefined || sent.slug === null ? rest : { ...rest, slug, short_url };
}

const tally: Record<string, { done: number; refused: number }> = {};
function count(tool: string, outcome: Outcome): void {
  tally[tool] ??= { done: 0, refused: 0 };
  tally[tool]['ok' in outcome ? 'done' : 'refused'] += 1;
}
/** Checks that the random calls had both outcomes, because otherwise they would prove little. */
function expectBothEnds(tool: string): void {
  for (const count of Object.values(tally[tool]!)) expect(count, tool).toBeGreaterThan(10 * LENGTH);
}

test('create_link behaves like POST /api/v1/links', async () => {
  const fields = { ...writable, ...refusedFields, auto_meta: fc.oneof(fc.constant(false), anyText, fc.constant(null)) };
  const body = fc.tuple(some(fields), fc.integer({ min: 0, max: 9 })).map(([sent, chance]) =>
    // Usually include the only required field.
    chance === 0 ? sent : { destination_url: 'https://example.com/x', ...sent },
  );
  await fc.assert(
    fc.asyncProperty(anyCaller, body, async (caller, sent) => {
      const { rest, mcp } = endpoints[caller];
      const first = await rest('POST', '/api/v1/links', sent);
      // Free the slug for the call over MCP.
      if ('ok' in first) await rest('DELETE', `/api/v1/links/${(first.ok as Link).id}`);
      const second = await mcp('create_link', sent);
      if ('ok' in second) await rest('DELETE', `/api/v1/links/${(second.ok as Link).id}`);
      expect(comparable(second, sent)).toEqual(comparable(ofTool(first), sent));
      count('create_link', first);
    }),
    { numRuns: 150 * LENGTH },
  );
  expectBothEnds('create_link');
});

test('update_link behaves like PUT /api/v1/links/{id}', async () => {
  const fields = { ...writable, ...refusedFields, auto_meta: fc.boolean() };
  const liveCaller = fc.constantFrom<Caller>('live 2025', 'live 2026');
  await fc.assert(
    fc.asyncProperty(liveCaller, some(fields), async (caller, sent) => {
      const { rest, mcp } = endpoints[caller];
      // Both calls update a public link. It may still have a password from an earlier run.
      await rest('PUT', `/api/v1/links/${changed.id}`, { visibility: 'public' });
      const first = await rest('PUT', `/api/v1/links/${changed.id}`, bodyOf(sent));
      const second = await mcp('update_link', { id: changed.id, ...sent });
      expect(comparable(ofPath(second), sent)).toEqual(comparable(ofTool(first), sent));
      count('update_link', first);
    }),
    { numRuns: 120 * LENGTH },
  );
  expectBothEnds('update_link');
});

test('edit_links and get_job behave like POST /api/v1/jobs and GET /api/v1/jobs/{id}', async () => {
  const filters = {
    q: oftenly(fc.constantFrom('visited', 'http', '#seen', 'a b c d e f g h i j k')),
    hashtag: oftenly(fc.constantFrom('seen', '#Seen', 'a b')),
    domain: oftenly(fc.constantFrom('example.com', 'https://example.com')),
    archived: oftenly(fc.constantFrom('any', 'true')),
    all: oftenly(fc.boolean()),
    // A tool takes null for a field that is not there.
    page: anything.filter((value) => value !== null),
  };
  const pair = (value: fc.Arbitrary<unknown>) =>
    oftenly(fc.record({ from: value, to: value }, { requiredKeys: ['to'] }));
  const { slug: _slug, password: _password, ...fields } = writable;
  // As for a filter's page, null is left to the fields that a tool knows.
  const refused = Object.fromEntries(
    Object.entries(refusedFields).map(([name, values]) => [name, values.filter((value) => value !== null)]),
  );
  const changes = {
    ...fields,
    ...refused,
    add_hashtags: oftenly(fc.constantFrom(['a'], ['#B', 'x y'], [])),
    remove_hashtags: oftenly(fc.constantFrom(['seen'], ['a', 'b'])),
    replace_hashtag: pair(oftenly(fc.constantFrom('seen', '#x'))),
    replace_host: pair(oftenly(fc.constantFrom('example.com', 'example.org', 'a b'))),
  };
  const anyCall = fc.record(
    {
      kind: oftenly(fc.constantFrom('edit', 'edit', 'delete')),
      filter: oftenly(some(filters)),
      change: oftenly(some(changes)),
    },
    { requiredKeys: ['kind', 'filter'], noNullPrototype: true },
  );
  const validFilter = fc.constantFrom<object>(
    { hashtag: '#Seen', q: null },
    { all: true },
    { q: 'changed', archived: 'any' },
    { domain: 'example.com', visibility: 'public' },
  );
  const validChange = fc.constantFrom<object>(
    { title: '', note: null, add_hashtags: ['#B'] },
    { visibility: 'password-protected' },
    { replace_host: { from: 'EXAMPLE.com', to: 'example.org' }, expires_at: '2090-01-31T12:00:00Z' },
    { remove_hashtags: ['seen'], replace_hashtag: null, archived: true },
    { title: 'x', add_hashtags: [] },
  );
  const validCall = fc.oneof(
    fc.record({ kind: fc.constant('edit'), filter: validFilter, change: validChange }),
    fc.record({ kind: fc.constant('delete'), filter: validFilter, change: fc.constant(null) }),
  );
  const sendable: fc.Arbitrary<object> = fc.oneof(anyCall, validCall);
  // A dry run, so that the second call finds the same links.
  const outcomeOf = (outcome: Outcome) => {
    if ('refused' in outcome) return { refused: messageOfTool(outcome.refused) };
    const { id: _id, created_at: _created, finished_at: _finished, ...job } = outcome.ok as Job;
    return job;
  };
  await fc.assert(
    fc.asyncProperty(anyCaller, sendable, async (caller, sent) => {
      const { rest, mcp } = endpoints[caller];
      const args = { ...sent, dry_run: true };
      const first = await rest('POST', '/api/v1/jobs', withoutNulls(args));
      const second = await mcp('edit_links', args);
      expect(outcomeOf(second)).toEqual(outcomeOf(first));
      count('edit_links', first);
      if (!('ok' in second)) return;
      const { id } = second.ok as Job;
      // The tool also returns the first reasons of refusals, and the first links that the job would change.
      const { refusals, examples, ...job } = ((await mcp('get_job', { id })) as { ok: Required<JobResult> }).ok;
      expect({ ok: job }).toEqual(await rest('GET', `/api/v1/jobs/${id}`));
      expect(refusals).toHaveLength(Math.min(20, job.refused));
      expect(examples).toHaveLength(Math.min(5, job.changed + job.deleted));
    }),
    {
      numRuns: 120 * LENGTH,
      examples: [['live 2025', { kind: 'edit', filter: { hashtag: 'seen' }, change: { add_hashtags: [] } }]],
    },
  );
  expectBothEnds('edit_links');
});

/** Returns the arguments without null, at any depth of objects: a tool treats null as missing. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (field === null ? [] : [[name, withoutNulls(field)]])),
  );
}

test('bulk_edit_links behaves like POST /api/v1/links/bulk', async () => {
  const editable = { ...writable, ...refusedFields };
  const operation = fc.oneof(
    some(editable).map((link) => ({ op: 'create', link: { destination_url: 'https://example.com/x', ...link } })),
    fc
      .tuple(fc.constantFrom(changed.id, changed.slug, hidden.id, hidden.short_url, 'nope'), some(editable))
      .map(([id, link]) => ({ op: 'update', id, link })),
    fc
      .tuple(fc.constantFrom(changed.slug, changed.slug.toUpperCase(), hidden.slug, `${TAKEN_SLUG}-2`), some(editable))
      .map(([slug, link]) => ({ op: 'upsert', link: { ...link, slug } })),
    fc.constantFrom(
      { op: 'delete', id: hidden.id },
      { op: 'delete', id: hidden.slug },
      { op: 'delete', id: 'nope' },
      { op: 'delete' },
      { op: 'move' },
    ),
    anything,
  );
  const fields = fc.constantFrom(undefined, undefined, 'id,slug', 'nope');
  const publicCaller = fc.constantFrom<Caller>('public 2025', 'public 2026');
  const live = api(endpoints['live 2025'].key);
  const { id: _id, short_url, clicks, last_clicked_at, created_at, updated_at, ...original } = changed;
  await fc.assert(
    fc.asyncProperty(
      publicCaller,
      fc.array(operation, { maxLength: 4 }),
      fields,
      async (caller, operations, fields) => {
        const { rest, mcp } = endpoints[caller];
        const sent = { operations, ...(fields !== undefined && { fields }) };
        const body = {
          ...sent,
          operations: operations.map((one) => (isChange(one) ? { ...one, link: bodyOf(one.link) } : one)),
        };
        const resultsOf = async (outcome: Outcome) => {
          if ('refused' in outcome) return outcome;
          const { results } = outcome.ok as BulkResults;
          for (const { status, link } of results) if (status === 201) await live.delete(link!.id);
          return results.map(({ status, link, error }, position) =>
            link === undefined
              ? { status, error: error === undefined ? undefined : messageOfTool(error) }
              : {
                  status,
                  link:
                    fields === undefined ? comparable({ ok: link }, linkOf(operations[position])) : Object.keys(link),
                },
          );
        };
        await live.update(changed.id, original);
        const first = await rest('POST', '/api/v1/links/bulk', body);
        const expected = await resultsOf(first);
        await live.update(changed.id, original);
        expect(await resultsOf(await mcp('bulk_edit_links', sent))).toEqual(expected);
        count('bulk_edit_links', first);
      },
    ),
    { numRuns: 120 * LENGTH },
  );
  expectBothEnds('bulk_edit_links');
  expect((await live.get(hidden.id)).body).toEqual(hidden);
});

test('an empty list means the same over REST and MCP, in each argument that may be a list', async () => {
  const { key, rest, mcp } = endpoints['live 2025'];
  const live = api(key);
  const link = { destination_url: 'https://example.com/empty', hashtags: [] };
  const tagged = await createLink(key, { hashtags: ['full'] });
  const path = `/api/v1/links/${tagged.id}`;
  const withTags = () => live.update(tagged.id, { hashtags: ['full'] });

  const created = await rest('POST', '/api/v1/links', link);
  expect(created).toMatchObject({ ok: { hashtags: [] } });
  expect(comparable(await mcp('create_link', link), link)).toEqual(comparable(created, link));
  const emptied = comparable(await rest('PUT', path, { hashtags: [] }), {});
  await withTags();
  expect(comparable(await mcp('update_link', { id: tagged.id, hashtags: [] }), {})).toEqual(emptied);
  expect(emptied).toMatchObject({ hashtags: [] });

  const update = { op: 'update', id: tagged.id, link: { hashtags: [] } };
  const upsert = { op: 'upsert', link: { slug: tagged.slug, hashtags: [] } };
  for (const operations of [[], [update], [upsert], [{ op: 'create', link: [] }], [[]]]) {
    const results = async (outcome: Outcome) =>
      'refused' in outcome
        ? outcome
        : (outcome.ok as BulkResults).results.map((one) => [
            one.status,
            one.error && messageOfTool(one.error),
            one.link?.hashtags,
          ]);
    await withTags();
    const expected = await results(ofTool(await rest('POST', '/api/v1/links/bulk', { operations })));
    await withTags();
    expect
      .soft([operations, await results(await mcp('bulk_edit_links', { operations }))])
      .toEqual([operations, expected]);
  }

  await withTags();
  const filter = { hashtag: 'full' };
  const jobs = [
    { kind: 'delete', filter: { ids: [] } },
    { kind: 'delete', filter: [] },
    { kind: 'delete', filter: { hashtag: [] } },
    { kind: 'edit', filter, change: [] },
    { kind: 'edit', filter, change: { hashtags: [] } },
    ...['add_hashtags', 'remove_hashtags'].flatMap((name) => [
      { kind: 'edit', filter, change: { [name]: [] } },
      { kind: 'edit', filter, change: { [name]: [], title: 'x' } },
      { kind: 'edit', filter, change: { [name]: [], hashtags: [] } },
    ]),
    { kind: 'edit', filter, change: { replace_hashtag: [] } },
    { kind: 'edit', filter: { ids: [tagged.id] }, change: { hashtags: [] } },
  ];
  for (const job of jobs) {
    const sent = { ...job, dry_run: true };
    const outcomeOf = (outcome: Outcome) => {
      if ('refused' in outcome) return messageOfTool(outcome.refused);
      const { matched, changed, unchanged, title } = outcome.ok as Job;
      return { matched, changed, unchanged, title };
    };
    const expected = outcomeOf(await rest('POST', '/api/v1/jobs', sent));
    expect.soft([job, outcomeOf(await mcp('edit_links', sent))]).toEqual([job, expected]);
  }

  // A tool understands a list where REST has texts with commas, and an empty list as an empty text.
  for (const [tool, name, url] of [
    ['list_links', 'fields', '/api/v1/links'],
    ...['fields', 'include', 'cross'].map((one) => ['get_analytics', one, '/api/v1/analytics'] as const),
  ] as const) {
    const refused = await rest('GET', `${url}?${name}=`);
    expect(refused).toMatchObject({ refused: expect.stringContaining(`"${name}"`) });
    expect.soft(await mcp(tool, { [name]: [] })).toEqual(ofTool(refused));
  }
  const operations = [{ op: 'delete', id: 'nope' }];
  expect
    .soft(await mcp('bulk_edit_links', { operations, fields: [] }))
    .toEqual(ofTool(await rest('POST', '/api/v1/links/bulk', { operations, fields: '' })));
});

interface SentChange {
  op: 'update' | 'upsert';
  link: Record<string, unknown>;
}
function isChange(operation: unknown): operation is SentChange {
  return ['update', 'upsert'].includes((operation as SentChange | null)?.op as string);
}
function linkOf(operation: unknown): Record<string, unknown> {
  return (operation as SentChange).link;
}

test('neither REST nor MCP finds a link that is hidden from a Public Links Only key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Caller>('public 2025', 'public 2026'),
      fc.oneof(
        fc.constantFrom(hidden.id, hidden.slug, hidden.short_url, 'nope', 'x'.repeat(100), '%00', '{"$gt":""}'),
        anyText,
      ),
      some(writable),
      async (caller, id, sent) => {
        // URL parsing would remove these path segments.
        fc.pre(!['', '.', '..'].includes(id));
        const { rest, mcp } = endpoints[caller];
        const path = `/api/v1/links/${encodeURIComponent(id)}`;
        const updated = ofPath(await mcp('update_link', { id, ...sent }));
        expect(updated).toEqual(ofTool(await rest('PUT', path, bodyOf(sent))));
        const removed = await rest('DELETE', path);
        expect(removed).toEqual({ refused: 'Link not found.' });
        expect(await mcp('delete_link', { id })).toEqual(ofTool(removed));
      },
    ),
    { numRuns: 40 * LENGTH },
  );
  expect((await api(endpoints['live 2025'].key).get(hidden.id)).body).toEqual(hidden);
});

test('delete_link behaves like DELETE /api/v1/links/{id}', async () => {
  const { key, rest, mcp } = endpoints['live 2025'];
  const [one, other] = [await createLink(key, {}), await createLink(key, {})];
  expect(await mcp('delete_link', { id: one.id })).toEqual({ ok: { id: one.id, deleted: true } });
  expect(await rest('DELETE', `/api/v1/links/${other.id}`)).toEqual({ ok: '' });
  for (const { id } of [one, other])
    expect(await mcp('delete_link', { id })).toEqual(ofTool(await rest('DELETE', `/api/v1/links/${id}`)));
});

/** Returns a query string. */
function queryOf(query: Record<string, unknown>): string {
  return new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
/** Texts that are not numbers, because a numeric text is valid as a query parameter. */
const noNumber = anyText.filter((text) => text.trim() === '' || Number.isNaN(Number(text)));

test('list_links behaves like GET /api/v1/links', async () => {
  const parameters = {
    q: fc.oneof(
      fc.constantFrom(
        'visited',
        '#visited',
        'e',
        'EXAMPLE com',
        'h%_\\',
        TAKEN_SLUG.toLowerCase(),
        'x'.repeat(201),
        '',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    page: fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constantFrom(1_000_000, 1_000_001, 1.5), noNumber),
    per: fc.oneof(fc.constantFrom(0, 1, 2, 25, 100, 101), noNumber),
    sort: fc.constantFrom('created_at', 'updated_at', 'title', 'slug', 'clicks', 'id', ''),
    dir: fc.constantFrom('asc', 'desc', 'up'),
    hashtag: fc.oneof(fc.constantFrom('#Seen', 'seen', 'other', 'x y', ''), anyText),
    visibility: fc.constantFrom('public', 'private', 'password-protected', 'hidden', ''),
    domain: fc.oneof(
      fc.constantFrom('example.com', 'com', 'EXAMPLE.com.', 'https://example.com/', '*.com', 'a b', ''),
      anyText,
    ),
    archived: fc.constantFrom('false', 'true', 'any', 'yes', ''),
    managed_by: fc.constantFrom('team-a', '', 'a b', 'x'.repeat(65)),
    created_before: fc.constantFrom('2090-01-31', '2020-01-31T12:00:00+02:00', '2020-13-01', ''),
    created_after: fc.constantFrom('2090-01-31', '2020-01-31T12:00:00+02:00', 'yesterday'),
    expired: fc.constantFrom('false', 'true', 'any', ''),
    destination_url: fc.constantFrom('https://example.com/', 'https://example.com', 'example.com', ''),
    last_clicked_before: fc.oneof(
      fc.constantFrom('2090-01-31', '2020-01-31T12:00:00+02:00', '2020-13-01', 'yesterday', ''),
      anyText,
    ),
    // A tool understands spaces in it.
    fields: fc.oneof(
      fc.constantFrom('slug,clicks', 'id', 'visibility', 'nope', 'slug,', ''),
      anyText.filter((text) => text === text.trim() && !text.includes(',')),
    ),
    limit: fc.constant('5'),
  };
  await fc.assert(
    fc.asyncProperty(anyCaller, some(parameters), async (caller, query) => {
      const { rest, mcp } = endpoints[caller];
      const first = await rest('GET', `/api/v1/links?${queryOf(query)}`);
      expect(await mcp('list_links', query)).toEqual(ofTool(first));
      if ('ok' in first && caller.startsWith('public'))
        expect((first.ok as LinkList).links.map(({ id }) => id)).not.toContain(hidden.id);
      count('list_links', first);
    }),
    { numRuns: 250 * LENGTH },
  );
  expectBothEnds('list_links');
});

test('list_links and bulk_edit_links cut long texts and say so; get_link and REST never do', async () => {
  const account = await createAccount();
  const { rest, mcp } = await openEndpoints(account.live, 2025);
  const note = 'Long note. '.repeat(400);
  const operations = Array.from({ length: 40 }, () => ({
    op: 'create',
    link: { destination_url: 'https://example.com/', note },
  }));
  const { ok: done } = (await rest('POST', '/api/v1/links/bulk', { operations })) as { ok: BulkResults };
  expect(new Set(done.results.map(({ link }) => link!.note))).toEqual(new Set([note]));
  const { ok: listed } = (await rest('GET', '/api/v1/links?per=40')) as { ok: LinkList };
  const changes = listed.links.map(({ id }) => ({ op: 'update', id, link: {} }));
  const { ok: short } = (await mcp('list_links', { per: 40 })) as { ok: LinkList };
  const { ok: edited } = (await mcp('bulk_edit_links', { operations: changes })) as { ok: BulkToolResults };
  for (const { notice } of [short, edited]) expect(notice).toContain('Texts are cut to');
  for (const links of [short.links, edited.results.map(({ link }) => link!)]) {
    for (const link of links) expect(note.startsWith(link.note!.replace('… (cut)', ''))).toBe(true);
    expect(links.map((link) => ({ ...link, note }))).toEqual(listed.links);
    expect(Buffer.byteLength(JSON.stringify(links))).toBeLessThan(75_000);
  }
  const [first] = listed.links;
  expect(await mcp('get_link', { id: first!.id })).toEqual({ ok: first });
});

test('get_analytics has the notices of REST, and cuts and says what no model can read; REST cuts nothing', async () => {
  const account = await createAccount();
  const { rest, mcp } = await openEndpoints(account.live, 2025);
  const hashtags = Array.from({ length: 20 }, (_, i) => `${'𠀀'.repeat(48)}${10 + i}`);
  const { slug } = await createLink(account.live, { hashtags });
  for (let i = 0; i < 10; i++) await follow(`${slug}?utm_source=${encodeURIComponent(`${i}${'😀'.repeat(99)}`)}`);
  const query = { days: 7, cross: 'source,hashtag', fields: 'cross' };
  const overRest = async () => ((await rest('GET', `/api/v1/analytics?${queryOf(query)}`)) as { ok: Analytics }).ok;
  await eventually(async () => expect((await overRest()).clicks).toBe(10));
  const whole = await overRest();
  expect(whole.cross).toHaveLength(200);
  expect(Buffer.byteLength(JSON.stringify(whole))).toBeGreaterThan(100_000);
  const { ok: short } = (await mcp('get_analytics', query)) as { ok: Analytics };
  expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThan(75_000);
  expect(short).toEqual({ ...whole, cross: whole.cross!.slice(0, 100), notice: expect.any(String) });
  expect(short.notice).toContain('more than its first 100 entries');
  const unknown = { host: 'never.example.com' };
  const notice = 'No click on the host "never.example.com"; there are clicks on default.';
  expect(await rest('GET', `/api/v1/analytics?${queryOf(unknown)}`)).toMatchObject({ ok: { clicks: 0, notice } });
  expect(await mcp('get_analytics', unknown)).toMatchObject({ ok: { clicks: 0, notice } });
});

test('get_qr_code is the PNG of GET /api/v1/links/{id}/qr', async () => {
  for (const { key, rest, mcp } of Object.values(endpoints))
    for (const [id, size] of [
      [changed.id, undefined],
      [changed.id, 64],
      [changed.id, 63],
      [changed.id, 2_049],
      [changed.id, 'x'],
      [hidden.id, 128],
      ['nope', 128],
    ] as const) {
      const query = `format=png${size === undefined ? '' : `&size=${size}`}`;
      const path = `/api/v1/links/${id}/qr?${query}`;
      const first = await rest('GET', path);
      const second = await mcp('get_qr_code', { id, ...(size !== undefined && { size }) });
      if ('refused' in first) expect(second).toEqual(ofTool(first));
      else {
        const headers = { authorization: `Bearer ${key}` };
        const png = Buffer.from(await (await fetch(stack.publicUrl + path, { headers })).arrayBuffer());
        const { short_url } = (await api(endpoints['live 2025'].key).get(id)).body;
        expect(second).toEqual({ ok: { short_url }, image: png.toString('base64') });
      }
    }
});

test('get_analytics behaves like GET /api/v1/analytics', async () => {
  const parameters = {
    days: fc.oneof(fc.integer({ min: 1, max: 365 }), fc.constantFrom(0, -1, 366), noNumber),
    tz: fc.oneof(
      fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'America/St_Johns'),
      fc.constantFrom('europe/berlin', 'Etc/GMT+5', '+02:00', 'Nowhere', '', 'CET'),
      anyText,
    ),
    source: fc.oneof(fc.constantFrom('direct', 'mail', 'example.org', 'Mail', '', 'never', 'x'.repeat(300)), anyText),
    from: fc.constantFrom('2026-01-01', '2026-02-30', 'today'),
    to: fc.constantFrom('2026-01-31', '2025-12-31', ''),
    link_id: fc.oneof(
      fc.constantFrom(changed.id, changed.short_url, TAKEN_SLUG.toLowerCase(), hidden.id, hidden.slug, 'nope', ''),
      anyText,
    ),
    hashtag: fc.oneof(fc.constantFrom('#Seen', 'other', 'x y'), anyText),
    device: fc.oneof(fc.constantFrom('desktop', 'Mobile', ''), anyText),
    country: fc.constantFrom('DE', 'unknown', 'Atlantis', ''),
    browser: fc.constantFrom('Chrome', 'chrome', ''),
    os: fc.constantFrom('Linux', 'linux', ''),
    language: fc.constantFrom('de', 'UNKNOWN', 'German', ''),
    utm_campaign: fc.oneof(fc.constantFrom('summer', ''), anyText),
    host: fc.oneof(fc.constantFrom('default', 'Go.example.com', 'http://x', ''), anyText),
    include: fc.constantFrom(
      'visitors',
      'hosts',
      'countries,browsers',
      'hours,previous',
      'languages,utm_campaigns,utm_mediums,utm_contents,utm_terms,verdicts',
      'previous,previous',
      'all',
      '',
    ),
    cross: fc.constantFrom('source,country', 'hashtag,day', 'host,hashtag', 'os,os', 'day', 'language,utm_term', ''),
    fields: fc.constantFrom('sources', 'countries,cross', 'clicks_by_hour', 'clicks,top_links,sources', 'hours', ''),
    top: fc.oneof(fc.integer({ min: -1, max: 101 }), noNumber),
    top_by: fc.constantFrom('clicks', 'growth', 'decline', 'rank'),
    start: fc.constant('2026-01-01'),
  };
  await fc.assert(
    fc.asyncProperty(anyCaller, some(parameters), async (caller, query) => {
      const { rest, mcp } = endpoints[caller];
      const first = await rest('GET', `/api/v1/analytics?${queryOf(query)}`);
      expect(await mcp('get_analytics', query)).toEqual(ofTool(first));
      count('get_analytics', first);
    }),
    { numRuns: 150 * LENGTH },
  );
  expectBothEnds('get_analytics');
});

test('list_hashtags behaves like GET /api/v1/hashtags', async () => {
  for (const { rest, mcp } of Object.values(endpoints)) {
    const listed = await rest('GET', '/api/v1/hashtags');
    expect(listed).toMatchObject({
      ok: { hashtags: expect.arrayContaining([expect.objectContaining({ hashtag: 'seen' })]) },
    });
    expect(await mcp('list_hashtags', {})).toEqual(listed);
    const refused = await rest('GET', '/api/v1/hashtags?limit=5');
    expect(await mcp('list_hashtags', { limit: '5' })).toEqual(ofTool(refused));
  }
});

test('list_events behaves like GET /api/v1/events', async () => {
  for (const { rest, mcp } of Object.values(endpoints)) {
    const listed = await rest('GET', '/api/v1/events?limit=3');
    const { events, next } = (listed as { ok: EventList }).ok;
    expect(events).toHaveLength(3);
    expect(await mcp('list_events', { limit: '3' })).toEqual(listed);
    const queries = [
      { after: next, types: 'link.created,link.deleted' },
      { link_id: changed.id },
      { link_id: TAKEN_SLUG },
      { dir: 'desc', limit: '2' },
    ];
    for (const query of queries)
      expect(await mcp('list_events', query)).toEqual(
        await rest('GET', `/api/v1/events?${new URLSearchParams(query)}`),
      );
    for (const query of [
      { after: 'x' },
      { types: 'link.*' },
      { limit: '0' },
      { link_id: hidden.slug },
      { dir: 'newest' },
      { per: '5' },
    ])
      expect(await mcp('list_events', query)).toEqual(ofTool(await rest('GET', `/api/v1/events?${queryOf(query)}`)));
  }
});

test('get_me behaves like GET /api/v1/me', async () => {
  for (const { rest, mcp } of Object.values(endpoints)) {
    expect(await mcp('get_me', {})).toEqual(await rest('GET', '/api/v1/me'));
    expect(await mcp('get_me', { limit: '5' })).toEqual(ofTool(await rest('GET', '/api/v1/me?limit=5')));
  }
});
