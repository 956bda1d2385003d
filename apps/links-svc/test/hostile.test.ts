import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, Service, type TestAccount } from './support/service.ts';

// docs/api.md, Hostile input: it never causes a 500, and reaches queries only as a value.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

const NASTY = [
  '$gt',
  '$where',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '',
  '.',
  'a.b',
  '{"$ne":null}',
  '../..',
  '%',
  '%00',
];
const nasty = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 300 }),
);
const value = fc.oneof(
  nasty,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom({ $gt: '' }, { $ne: null }, ['x'], [[]], Number.MAX_VALUE, -0, 2 ** 53, true),
);
const FIELDS = [
  'destination_url',
  'slug',
  'title',
  'description',
  'note',
  'hashtags',
  'visibility',
  'auto_meta',
  'id',
  '$set',
];
const valid = fc.record(
  {
    destination_url: fc.webUrl({ withQueryParameters: true }),
    note: fc.string({ unit: fc.constantFrom('a', '$', '夏', '😀', '\\n'), maxLength: 50 }),
  },
  { requiredKeys: ['destination_url'] },
);
const body = fc.oneof(
  valid,
  value,
  fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), nasty), value, { maxKeys: 5 }),
  fc.record(
    {
      destination_url: fc.oneof(fc.webUrl({ withQueryParameters: true }), nasty),
      slug: fc.oneof(fc.stringMatching(/^[A-Za-z0-9][\w-]{0,20}$/), value),
      title: value,
      hashtags: fc.oneof(fc.array(nasty), value),
    },
    { requiredKeys: ['destination_url'] },
  ),
);
// Most requests have no query, because the rest of a request with an invalid query is never read.
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ q: nasty, sort: fc.constantFrom('slug', 'clicks') }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.oneof(fc.constantFrom('q', 'page', 'per', 'sort', 'dir'), nasty), nasty, {
      maxKeys: 4,
    }),
  },
);
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'),
  path: fc.oneof(fc.constant(null), nasty),
  query,
  body,
  isPublicKey: fc.boolean(),
  contentType: fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'x'),
  idempotencyKey: fc.option(fc.string({ unit: fc.constantFrom('a', ' ', '~', '$', 'é'), maxLength: 5 }), {
    nil: undefined,
  }),
});

/** One request for each status that must occur. */
type HostileRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
const ordinary = (method: 'GET' | 'POST', path: string | null, body: HostileRequest['body']): HostileRequest => ({
  ...{ method, path, body, query: {}, isPublicKey: false },
  contentType: 'application/json',
  idempotencyKey: undefined,
});
const examples = [
  ordinary('GET', null, null),
  ordinary('POST', null, { destination_url: 'https://example.com/' }),
  ordinary('GET', 'unknown', null),
  ordinary('POST', null, {}),
];

test('any input gets a response within 5 seconds, never 5xx, and errors are JSON with exactly one field', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async (one) => {
      const path = one.path === null ? '' : `/${encodeURIComponent(one.path.toWellFormed())}`;
      const parameters = new URLSearchParams(Object.entries(one.query));
      const hasBody = one.method === 'POST' || one.method === 'PUT' || one.method === 'PATCH';
      const started = performance.now();
      const answer: Answer<Record<string, unknown> | null> = await service.request(
        one.isPublicKey ? account.public : account.live,
        one.method,
        `/api/v1/links${path}?${parameters}`,
        {
          ...(hasBody && { body: one.body }),
          headers: {
            ...(hasBody && { 'content-type': one.contentType }),
            ...(one.idempotencyKey !== undefined && { 'idempotency-key': one.idempotencyKey }),
          },
        },
      );
      expect(performance.now() - started).toBeLessThan(5_000);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400 && one.method !== 'HEAD') {
        expect(Object.keys(answer.body!)).toEqual(['error']);
        expect(answer.body!.error).toEqual(expect.any(String));
      }
    }),
    { numRuns: 600, examples: examples.map((one): [HostileRequest] => [one]) },
  );
  for (const status of [200, 201, 404, 422]) expect(statuses.get(status)).toBeGreaterThan(0);
});
