import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { createAccount, createLink } from '../support/world.ts';

// docs/mcp.md: an error says what to change, so that a model can correct itself. These are mistakes that models make:
// names and forms of other services, numbers as text, dates in other forms, ids that are none.

let mcp: Awaited<ReturnType<typeof connectMcp>>;
/** Ids of a link of the account and of a link of another one. */
const ids: Record<'own' | 'foreign', string> = { own: '', foreign: '' };
beforeAll(async () => {
  const account = await createAccount();
  mcp = await connectMcp(account.live);
  ids.own = (await createLink(account.live, {})).id;
  ids.foreign = (await createLink((await createAccount()).live, {})).id;
});
afterAll(() => mcp?.close());

type Mistake = [name: string, args: object | (() => object), error: string];

const destination_url = 'https://example.com/';
const NO_LINK = 'Link not found. An id comes from list_links; a slug is not an id.';
const LINK_FIELDS =
  'the known ones are destination_url, slug, title, description, note, hashtags, visibility, password, expires_at, expired_url, archived';
const LIST_FIELDS =
  'the known ones are q, hashtag, visibility, domain, archived, created_before, created_after, expired, destination_url, last_clicked_before, fields, page, per, sort, dir.';
const ANALYTICS_FIELDS =
  'the known ones are days, from, to, tz, source, link_id, hashtag, device, country, browser, os, include, top, top_by.';
const EXPIRY = 'a time such as 2027-01-31T12:00:00Z, at most 100 years ahead, or empty';
const MOMENT = 'a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z';
const PARTS =
  'a comma-separated list of visitors, countries, browsers, operating_systems, referrers, hours, previous, each at most once and without spaces';

const MISTAKES: Record<string, Mistake[]> = {
  create_link: [
    ['another name of the URL', { url: destination_url }, '"destination_url" is required.'],
    ['a further name', { destination_url, tags: ['a'] }, `"tags" is not a known field; ${LINK_FIELDS}, auto_meta.`],
    ['a read-only field', { destination_url, clicks: 0 }, '"clicks" is read-only and cannot be sent.'],
    ['the fields in an object', { link: { destination_url } }, '"destination_url" is required.'],
    [
      'a URL without a scheme',
      { destination_url: 'example.com' },
      '"destination_url" must be an absolute http or https URL with a host and without user info; you sent "example.com".',
    ],
    [
      'a slug with a slash',
      { destination_url, slug: '/sale' },
      '"slug" must be letters, digits, "_" and "-", not beginning with "_" or "-"; you sent "/sale".',
    ],
    ['hashtags as text', { destination_url, hashtags: 'a, b' }, '"hashtags" must be an array; you sent "a, b".'],
    [
      'another visibility',
      { destination_url, visibility: 'Public' },
      '"visibility" must be one of public, unlisted, private, password-protected; you sent "Public".',
    ],
    [
      'no password',
      { destination_url, visibility: 'password-protected' },
      '"password" is required for "visibility" password-protected, because none is set yet.',
    ],
    [
      'a password and another visibility',
      { destination_url, visibility: 'private', password: 'x' },
      '"password" cannot be combined with "visibility" private; send only one of them.',
    ],
    ['a date', { destination_url, expires_at: '2027-01-31' }, `"expires_at" must be ${EXPIRY}; you sent "2027-01-31".`],
    [
      'a duration',
      { destination_url, expires_at: 'in 7 days' },
      `"expires_at" must be ${EXPIRY}; you sent "in 7 days".`,
    ],
    [
      'a Unix time',
      { destination_url, expires_at: 1790000000 },
      `"expires_at" must be a string or null, ${EXPIRY}; you sent 1790000000.`,
    ],
    ['a boolean as text', { destination_url, archived: 'true' }, '"archived" must be true or false; you sent "true".'],
  ],
  update_link: [
    ['no id', { title: 'x' }, '"id" is required.'],
    ['another name of the id', () => ({ link_id: ids.own, title: 'x' }), '"id" is required.'],
    ['a number as the id', { id: 17, title: 'x' }, '"id" must be a string; you sent 17.'],
    ['a slug as the id', { id: 'my-slug', title: 'x' }, NO_LINK],
    ['the id of another account', () => ({ id: ids.foreign, title: 'x' }), NO_LINK],
    ['the fields in an object', () => ({ id: ids.own, link: {} }), `"link" is not a known field; ${LINK_FIELDS}.`],
    ['a read-only field', () => ({ id: ids.own, short_url: 'x' }), '"short_url" is read-only and cannot be sent.'],
  ],
  delete_link: [
    ['several ids', () => ({ ids: [ids.own] }), '"id" is required.'],
    ['a short URL as the id', { id: 'https://go.example/x' }, NO_LINK],
    ['the id of another account', () => ({ id: ids.foreign }), NO_LINK],
  ],
  list_links: [
    ['another name of the page size', { limit: 10 }, `"limit" is not a known field; ${LIST_FIELDS}`],
    ['another name of the search', { query: 'x' }, `"query" is not a known field; ${LIST_FIELDS}`],
    ['a number as text', { per: '10' }, '"per" must be a whole number; you sent "10".'],
    ['too large a page', { per: 1000 }, '"per" must be between 1 and 100; you sent 1000.'],
    ['the first page as 0', { page: 0 }, '"page" must be between 1 and 1000000; you sent 0.'],
    [
      'another sort',
      { sort: '-clicks' },
      '"sort" must be one of created_at, updated_at, title, slug, clicks; you sent "-clicks".',
    ],
    ['another direction', { dir: 'descending' }, '"dir" must be one of asc, desc; you sent "descending".'],
    ['a boolean', { archived: true }, '"archived" must be a string, one of false, true, any; you sent true.'],
    [
      'a URL as the domain',
      { domain: 'https://example.com/x' },
      '"domain" must be a host name alone, such as example.com, which finds the hosts below it too; you sent "https://example.com/x".',
    ],
    [
      'a wildcard',
      { domain: '*.example.com' },
      '"domain" must be a host name alone, such as example.com, which finds the hosts below it too; you sent "*.example.com".',
    ],
    [
      'a host as the destination',
      { destination_url: 'example.com' },
      '"destination_url" must be an absolute http or https URL with a host and without user info; you sent "example.com".',
    ],
    ['a boolean', { expired: true }, '"expired" must be a string, one of false, true; you sent true.'],
    ['a duration', { last_clicked_before: '30 days' }, `"last_clicked_before" must be ${MOMENT}; you sent "30 days".`],
    [
      'a list of fields',
      { fields: ['slug'] },
      expect.stringMatching(/^"fields" must be a string, field names separated by commas .*; you sent an array\.$/),
    ],
    [
      'fields with spaces',
      { fields: 'slug, clicks' },
      expect.stringMatching(/^"fields" must be field names separated by commas without spaces, of id, slug, .*\.$/),
    ],
  ],
  get_analytics: [
    ['a number as text', { days: '30' }, '"days" must be a whole number; you sent "30".'],
    ['another name of the window', { period: '30d' }, `"period" is not a known field; ${ANALYTICS_FIELDS}`],
    ['another name of the link', () => ({ id: ids.own }), `"id" is not a known field; ${ANALYTICS_FIELDS}`],
    ['half a window', { from: '2026-01-01' }, '"from" and "to" must be sent together; "to" is missing.'],
    [
      'times instead of dates',
      { from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z' },
      '"from" must be a date such as 2026-02-28; you sent "2026-01-01T00:00:00Z".',
    ],
    [
      'an abbreviated time zone',
      { tz: 'CEST' },
      '"tz" must be an IANA time zone such as UTC or Europe/Berlin; you sent "CEST".',
    ],
    ['a list of parts', { include: ['countries'] }, `"include" must be a string, ${PARTS}; you sent an array.`],
    ['another name of a part', { include: 'country' }, `"include" must be ${PARTS}; you sent "country".`],
    ['growth alone', { top_by: 'growth' }, '"top_by" can be growth only with "previous" in "include".'],
    ['a slug as the id', { link_id: 'my-slug' }, NO_LINK],
    ['the id of another account', () => ({ link_id: ids.foreign }), NO_LINK],
  ],
  get_me: [['an argument', { username: 'x' }, '"username" is not a known field; this tool takes no arguments.']],
  bulk_edit_links: [
    ['another name of the operations', { links: [] }, '"operations" is required.'],
    ['no operation', { operations: [] }, '"operations" must have at least 1 item.'],
    ['one operation', { operations: { op: 'delete' } }, '"operations" must be an array; you sent an object.'],
    ['operations as text', { operations: '[]' }, '"operations" must be an array; you sent "[]".'],
    [
      'too many operations',
      { operations: Array.from({ length: 101 }, () => ({ op: 'delete', id: 'x' })) },
      '"operations" must have at most 100 items; you sent 101.',
    ],
  ],
};

/** Mistakes in one operation of bulk_edit_links. */
const MISTAKES_OF_OPERATIONS: Mistake[] = [
  ['another operation', { op: 'archive' }, '"op" must be one of create, update, delete; you sent "archive".'],
  ['another name of the operation', { action: 'delete' }, '"op" is required.'],
  [
    'fields outside of the link',
    { op: 'create', destination_url },
    '"destination_url" is not a known field; the known ones are op, id, link.',
  ],
  [
    'a URL as the link',
    { op: 'create', link: destination_url },
    '"link" must be an object with fields of the link, for "op" create.',
  ],
  ['another name of the URL', { op: 'create', link: { url: destination_url } }, '"destination_url" is required.'],
  ['no link', () => ({ op: 'update', id: ids.own }), '"link" is required for "op" update.'],
  ['the id in the link', () => ({ op: 'update', link: { id: ids.own } }), '"id" is required for "op" update.'],
  ['several ids', { op: 'delete', ids: [] }, '"ids" is not a known field; the known ones are op, id, link.'],
  ['a slug as the id', { op: 'delete', id: 'my-slug' }, NO_LINK],
  ['the id of another account', () => ({ op: 'delete', id: ids.foreign }), NO_LINK],
];

const argumentsOf = (args: Mistake[1]) => (typeof args === 'function' ? args() : args) as Record<string, unknown>;

describe.each(Object.entries(MISTAKES))('%s says what to change', (tool, mistakes) => {
  test.each(mistakes)('%s', async (_, args, error) => {
    expect(await mcp.call(tool, argumentsOf(args))).toMatchObject({ isError: true, text: error });
  });
});

test.each(MISTAKES_OF_OPERATIONS)('an operation of bulk_edit_links says what to change: %s', async (_, args, error) => {
  const { result } = await mcp.call('bulk_edit_links', { operations: [argumentsOf(args)] });
  expect(result).toEqual({ results: [{ status: expect.toBeOneOf([404, 422]), error }] });
});

test('an unknown tool is answered with the names of those that exist', async () => {
  await expect(mcp.call('create_short_link', { destination_url })).rejects.toThrow(
    'Unknown tool "create_short_link"; the known ones are get_me, list_links, create_link, update_link, delete_link, get_analytics, bulk_edit_links, list_hashtags.',
  );
});
