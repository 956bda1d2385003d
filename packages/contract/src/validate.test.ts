import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnalyticsQuery } from './analytics/analytics-query.ts';
import { AppError } from './errors.ts';
import { CreateLinkInput, UpdateLinkInput } from './links/link.ts';
import { ListLinksQuery } from './links/link-list.ts';
import { RESERVED_SLUGS } from './links/slug.ts';
import { queryValidator, validator, validatorIgnoringNull } from './validate.ts';

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
    [{}, /^"destination_url" is required\.$/],
    [{ destination_url: 7 }, /^"destination_url" must be a string, an absolute http or https URL.*; you sent 7\.$/],
    [
      { destination_url: 'ftp://example.com' },
      /"destination_url" must be an absolute http or https URL.*you sent "ftp:/,
    ],
    [{ destination_url: url, slug: 'API' }, /"slug" must be a slug that is not a reserved word; you sent "API"/],
    [{ destination_url: url, slug: '_x' }, /"slug" must be letters, digits, "_" and "-", not beginning/],
    [{ destination_url: url, slug: 'a'.repeat(65) }, /"slug" must be 1 to 64 characters long; you sent 65/],
    [{ destination_url: url, title: 'é'.repeat(201) }, /"title" must be at most 200 characters long; you sent 201/],
    [{ destination_url: url, title: 'a\u0007b' }, /"title" must be text without control characters/],
    [{ destination_url: url, title: 5 }, /"title" must be a string or null; you sent 5/],
    [{ destination_url: url, visibility: 'secret' }, /"visibility" must be one of public, unlisted, private, password/],
    [
      { destination_url: url, hashtags: ['ok', 'not ok'] },
      /"hashtags\[1\]" must be 1 to 50 letters.*you sent "not ok"/,
    ],
    [{ destination_url: url, hashtags: Array(21).fill('a') }, /"hashtags" must have at most 20 items; you sent 21/],
    [{ destination_url: url, clicks: 1 }, /^"clicks" is read-only and cannot be sent\.$/],
    [
      { destination_url: url, colour: 'red' },
      /^"colour" is not a known field; the known ones are destination_url, host, slug/,
    ],
    [{ destination_url: url, auto_meta: 'yes' }, /"auto_meta" must be true or false; you sent "yes"/],
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

  test('a password and a note are never repeated', () => {
    expect(refusal(() => create({ destination_url: url, password: ['hunter2'] }))).not.toContain('hunter2');
    expect(refusal(() => create({ destination_url: url, note: ['my secret'] }))).not.toContain('my secret');
    expect(refusal(() => create({ destination_url: url, password: 'bad\u0000pw' }))).not.toContain('pw');
  });
});

describe('a destination is an absolute http or https URL with a host and without user info', () => {
  test.each([
    'http://example.com',
    'HTTPS://EXAMPLE.COM/A',
    'https://пример.рф/путь?q=я',
    'http://[::1]:8080/',
    'http://1.2.3.4/',
    'https://example.com/a b',
    'https://example.com/#frag',
    'http://localhost',
    'https://e.com/@user',
    'https://e.com/?a=b@c',
  ])('the URL %s is a destination', (value) => {
    expect(create({ destination_url: value }).destination_url).toBe(value);
  });
  test.each([
    '',
    'example.com',
    '//example.com',
    'http:example.com',
    'http:/example.com',
    'http://',
    'http:///path',
    'javascript:alert(1)',
    'http://user@example.com',
    'http://user:pw@example.com',
    'http://@example.com',
    'http://exa mple.com',
    ' http://example.com',
    'http://example.com\n',
    'http://example.com\t',
    'http://exam\nple.com',
    'mailto:a@b.c',
    'http://[::1',
    'http://a:99999/',
    'data:text/html,x',
    'https:\\\\example.com',
    `https://example.com/${'a'.repeat(2029)}`,
  ])('%j is not a destination', (value) => {
    refusal(() => create({ destination_url: value }));
  });
});

test('every reserved word is refused as a slug in any case', () => {
  for (const word of RESERVED_SLUGS) {
    refusal(() => create({ destination_url: url, slug: word }));
    refusal(() => create({ destination_url: url, slug: word.toUpperCase() }));
  }
});

test('text is counted in Unicode code points', () => {
  expect(create({ destination_url: url, title: '😀'.repeat(200) }).title).toHaveLength(400);
  refusal(() => create({ destination_url: url, title: '😀'.repeat(201) }));
});

test('line breaks are allowed in text, other control characters and lone surrogates are not', () => {
  expect(update({ note: 'a\r\nb\nc' })).toEqual({ note: 'a\r\nb\nc' });
  for (const bad of ['\u0000', '\t', '\u001b', '\u007f', '\u0085', '\ud800', 'a\udc00'])
    refusal(() => update({ note: bad }));
});

test('hashtags may use any script', () => {
  const hashtags = ['#Été', 'हिन्दी', '中文', 'a_b-c', 'λ9'];
  expect(update({ hashtags })).toEqual({ hashtags });
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
      '"limit" is not a known field; the known ones are q, hashtag, visibility, domain, archived, host, created_before, created_after, expired, destination_url, last_clicked_before, fields, page, per, sort, dir.',
    );
    expect(refusal(() => analytics({ start: '2026-01-01' }))).toBe(
      '"start" is not a known field; the known ones are days, from, to, tz, source, link_id, hashtag, device, country, browser, os, host, include, cross, top, top_by.',
    );
    expect(refusal(() => list({ limit: ['5', '6'] }))).toContain('"limit"');
    expect(refusal(() => list({ Page: '2' }))).toContain('"Page"');
    expect(refusal(() => list({ '': '' }))).toMatch(/^"" is not a known field/);
  });
  test.each([
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
  ])('%j is refused', (query) => {
    expect(refusal(() => list(query))).toContain(`"${Object.keys(query)[0]}"`);
  });
  test.each([
    { days: '0' },
    { days: '366' },
    { tz: 'Mars/Base' },
    { tz: '+02:00' },
    { tz: '' },
    { tz: '../etc' },
    { source: '' },
    { source: ['a', 'b'] },
  ])('%j is refused', (query) => {
    expect(refusal(() => analytics(query))).toContain(`"${Object.keys(query)[0]}"`);
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
