import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnalyticsQuery } from './analytics/analytics-query.ts';
import { AppError } from './errors.ts';
import { CreateLinkInput, UpdateLinkInput } from './links/link.ts';
import { ListLinksQuery } from './links/link-list.ts';
import { RESERVED_SLUGS } from './links/slug.ts';
import { queryValidator, validator, validatorIgnoringNull } from './validate.ts';
import { CreateWebhookInput } from './webhooks/webhook.ts';

// The messages of each field are in e2e/contract: link-fields.test.ts has both sides of each bound.

const create = validator(CreateLinkInput);
const update = validator(UpdateLinkInput);
const list = queryValidator(ListLinksQuery);
const analytics = queryValidator(AnalyticsQuery);

const url = 'https://example.com/';

/** Returns the message of the 422 error that `work` must throw. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).httpStatus).toBe(422);
    return (error as AppError).message;
  }
  throw new Error('was accepted');
}

describe('a 422 message names the field, the value that was sent and what is allowed', () => {
  test.each<[unknown, RegExp]>([
    [
      { destination_url: url, colour: 'red' },
      /^"colour" is not a known field; the known ones are destination_url, host, slug/,
    ],
    [[], /must be a JSON object/],
    [null, /must be a JSON object/],
    ['text', /must be a JSON object/],
  ])('create %j', (body, message) => {
    expect(refusal(() => create(body))).toMatch(message);
  });

  test('a long value is shortened', () => {
    const message = refusal(() => create({ destination_url: url, visibility: 'x'.repeat(10_000) }));
    expect(message.length).toBeLessThan(200);
  });

  test('an array or an object is named by its kind, however deep it is', () => {
    const deep = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
    expect(refusal(() => create({ destination_url: url, title: deep }))).toMatch(/you sent an array\.$/);
    expect(refusal(() => create({ destination_url: { a: 1 } }))).toMatch(/you sent an object\.$/);
  });

  test('an item that is sent twice is named', () => {
    const types = ['link.created', 'host.*', 'link.created'];
    expect(refusal(() => validator(CreateWebhookInput)({ url, types }))).toBe(
      '"types" must have each item once; you sent "link.created" again.',
    );
  });

  test('a password and a note are never repeated', () => {
    expect(refusal(() => create({ destination_url: url, password: ['hunter2'] }))).not.toContain('hunter2');
    expect(refusal(() => create({ destination_url: url, note: ['my secret'] }))).not.toContain('my secret');
    expect(refusal(() => create({ destination_url: url, password: 'bad\u0000pw' }))).not.toContain('pw');
  });
});

test('every reserved word is refused as a slug in any case', () => {
  for (const word of RESERVED_SLUGS) {
    refusal(() => create({ destination_url: url, slug: word }));
    refusal(() => create({ destination_url: url, slug: word.toUpperCase() }));
  }
});

describe('null for a field that is not sent', () => {
  const ignoring = validatorIgnoringNull(CreateLinkInput);
  test('is allowed for every optional field of a creation', () => {
    const optional = Object.keys(CreateLinkInput.properties).filter((name) => name !== 'destination_url');
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect(ignoring({ destination_url: url, ...nulls })).toEqual(create({ destination_url: url }));
  });
  test('counts as missing for a required field, and is refused for an unknown or read-only one', () => {
    expect(refusal(() => ignoring({ destination_url: null }))).toBe('"destination_url" is required.');
    expect(refusal(() => ignoring({ destination_url: url, nope: null }))).toContain('"nope" is not a known field');
    expect(refusal(() => ignoring({ destination_url: url, clicks: null }))).toContain('read-only');
    for (const body of [null, [], 'x']) refusal(() => ignoring(body));
  });
});

test('null empties title, description, note and hashtags, and is refused for a field that cannot be empty', () => {
  const nulls = { title: null, description: null, note: null, hashtags: null };
  expect(update(nulls)).toEqual(nulls);
  for (const field of ['slug', 'destination_url', 'visibility', 'password']) refusal(() => update({ [field]: null }));
});

describe('query parameters', () => {
  test('the list has its defaults', () => {
    expect(list({})).toEqual({ archived: 'false', page: 1, per: 25, sort: 'created_at', dir: 'desc' });
  });
  test('the analytics have their defaults', () => {
    expect(analytics({})).toEqual({ tz: 'UTC' });
  });
  test('an unknown parameter is refused with its name and the known names', () => {
    expect(refusal(() => list({ page: '2', limit: '5' }))).toBe(
      '"limit" is not a known field; the known ones are q, hashtag, visibility, domain, archived, host, managed_by, created_before, created_after, expired, destination_url, health, last_clicked_before, duplicates, fields, page, per, sort, dir.',
    );
    expect(refusal(() => analytics({ start: '2026-01-01' }))).toBe(
      '"start" is not a known field; the known ones are days, from, to, tz, source, link_id, hashtag, device, country, browser, os, host, language, utm_campaign, utm_medium, utm_content, utm_term, include, cross, fields, top, top_by.',
    );
    expect(refusal(() => list({ limit: ['5', '6'] }))).toContain('"limit"');
    expect(refusal(() => list({ Page: '2' }))).toContain('"Page"');
    expect(refusal(() => list({ '': '' }))).toMatch(/^"" is not a known field/);
  });
  const WRONG_LISTS = [
    { page: '0' },
    { page: '1000001' },
    { page: '1.5' },
    { page: '1e3' },
    { page: ' 1' },
    { page: '' },
    { page: 'x' },
    { page: '0x10' },
    { page: ['1', '2'] },
    { per: '101' },
    { per: '0' },
    { per: '-1' },
    { sort: 'id' },
    { sort: 'constructor' },
    { dir: 'up' },
    { q: 'x'.repeat(201) },
  ];
  const WRONG_ANALYTICS = [
    { days: '0' },
    { days: '366' },
    { tz: 'Mars/Base' },
    { tz: '+02:00' },
    { tz: '' },
    { tz: '../etc' },
    { source: '' },
    { source: ['a', 'b'] },
  ];
  test('a wrong value is refused with its name', () => {
    for (const [check, queries] of [
      [list, WRONG_LISTS],
      [analytics, WRONG_ANALYTICS],
    ] as const)
      for (const query of queries)
        expect
          .soft(
            refusal(() => check(query)),
            JSON.stringify(query),
          )
          .toContain(`"${Object.keys(query)[0]}"`);
  });
  test('a fraction is refused with the same message as the same number in JSON', () => {
    expect(refusal(() => list({ page: '1.5' }))).toBe('"page" must be a whole number; you sent 1.5.');
    expect(refusal(() => list({ page: 1.5 }))).toBe('"page" must be a whole number; you sent 1.5.');
    expect(refusal(() => list({ page: '2.0' }))).toBe('"page" must be a whole number; you sent "2.0".');
  });
  test('a query without a prototype works, and one with __proto__ pollutes nothing', () => {
    expect(list(Object.assign(Object.create(null), { page: '3' })).page).toBe(3);
    expect(refusal(() => list(JSON.parse('{"__proto__":"9"}')))).toMatch(/^"__proto__" is not a known field/);
  });
});

test('any input gives a value or an AppError of one sentence, and is not changed', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.anything()), fc.anything()), (value) => {
      const before = structuredCloneOrNull(value);
      for (const check of [create, update, list, analytics]) {
        try {
          check(value);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect((error as AppError).message.length).toBeLessThan(400);
          expect((error as AppError).message).not.toMatch(/[\n\r]/);
        }
      }
      if (before) expect(value).toEqual(before.value);
    }),
    { numRuns: 500 },
  );
});

function structuredCloneOrNull(value: unknown): { value: unknown } | null {
  try {
    return { value: structuredClone(value) };
  } catch {
    return null;
  }
}

test.each([
  [ListLinksQuery, { created_before: '2026-01-01T23:00:00 01:00' }],
  [ListLinksQuery, { last_clicked_before: '2026-01-01T23:00:00.5 0100' }],
  [AnalyticsQuery, { tz: 'Etc/GMT 5' }],
])('a "+" that became a space in a query is explained: %#', (schema, query) => {
  expect(() => queryValidator(schema)(query)).toThrow('; in a URL, "+" must be sent as "%2B".');
});

test('what is wrong for another reason is not explained by a "+"', () => {
  for (const created_before of ['2026-01-01 10:00', 'x 5', '2026-01-01T23:00:00 Z'])
    expect(() => list({ created_before })).toThrow(/you sent "[^;]*"\.$/);
});
