import { TOOL_EXAMPLES, TOOL_NAMES, type ToolName } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { createAccount, createLink, request } from '../support/world.ts';

// docs/mcp.md, Errors: an error says what to change, so that a model can correct itself. These are mistakes that models
// make: names and forms of other services, arguments within arguments, dates in other forms, ids that are none. The forms
// that a tool understands although they are mistakes are at the end.

let mcp: Awaited<ReturnType<typeof connectMcp>>;
/** Ids of a link of the account and of a link of another one. */
const ids: Record<'own' | 'foreign', string> = { own: '', foreign: '' };
let key: string;
beforeAll(async () => {
  const account = await createAccount();
  key = account.live;
  mcp = await connectMcp(account.live);
  ids.own = (await createLink(account.live, {})).id;
  ids.foreign = (await createLink((await createAccount()).live, {})).id;
});
afterAll(() => mcp?.close());

type Mistake = [name: string, args: object | (() => object), error: unknown];

const destination_url = 'https://example.com/';
const NO_LINK = 'Link not found. Find its id, slug or short URL with list_links.';
const LINK_FIELDS =
  'destination_url, host, slug, title, description, note, hashtags, visibility, password, expires_at, expired_url, archived, max_clicks, redirect_code, rules, social_title, social_description, social_image_url, managed_by';
const LIST_FIELDS =
  'q, hashtag, visibility, domain, archived, host, managed_by, created_before, created_after, expired, destination_url, health, last_clicked_before, duplicates, fields, page, per, sort, dir';
const ANALYTICS_FIELDS =
  'days, from, to, tz, source, link_id, hashtag, device, country, browser, os, host, language, utm_campaign, utm_medium, utm_content, utm_term, include, cross, fields, top, top_by';
const EXPIRY = 'a time such as 2027-01-31T12:00:00Z, at most 100 years ahead, or empty';
const MOMENT = 'a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z';
const URL_FORM = 'an absolute http or https URL with a host and without user info';
const PARTS =
  'a comma-separated list of visitors, countries, browsers, operating_systems, referrers, hours, previous, hosts, languages, utm_campaigns, utm_mediums, utm_contents, utm_terms, verdicts, each at most once and without spaces';

const PAIR =
  'two different ones of day, source, device, country, browser, os, language, host, hashtag, utm_campaign, utm_medium, utm_content, utm_term, separated by a comma without spaces';

const EXAMPLE: Record<ToolName, string> = {
  get_me: '',
  ...Object.fromEntries(Object.entries(TOOL_EXAMPLES).map(([tool, args]) => [tool, JSON.stringify(args)])),
} as never;
const OPERATIONS = {
  create: '{"op":"create","link":{"destination_url":"https://example.com/"}}',
  update: '{"op":"update","id":"…","link":{"title":"New title"}}',
  upsert: '{"op":"upsert","link":{"slug":"sale","destination_url":"https://example.com/"}}',
  delete: '{"op":"delete","id":"…"}',
};
const ANY_OPERATION = Object.values(OPERATIONS).join(' or ');

/** Returns the message for a name that a tool does not know. */
const unknown = (name: string, known: string, tool: ToolName) =>
  `"${name}" is not a known field; the known ones are ${known}. Expected: ${EXAMPLE[tool]}.`;
const noField = {
  create: (name: string) => unknown(name, `${LINK_FIELDS}, auto_meta`, 'create_link'),
  update: (name: string) => unknown(name, `id, ${LINK_FIELDS}`, 'update_link'),
  list: (name: string) => unknown(name, LIST_FIELDS, 'list_links'),
  analytics: (name: string) => unknown(name, ANALYTICS_FIELDS, 'get_analytics'),
};
/** Returns the message for a tool call without an argument that it needs. */
const missing = (name: string, sent: string | undefined, tool: ToolName, others = '') =>
  `"${name}" is required.${sent === undefined ? '' : ` "${sent}" is not a known field.`} Expected: ${EXAMPLE[tool]}${others}.`;
const noUrl = (sent?: string) =>
  missing(
    'destination_url',
    sent,
    'create_link',
    `, and any of ${LINK_FIELDS.replace('destination_url, ', '')}, auto_meta`,
  );
const noId = (sent?: string) =>
  missing('id', sent, 'update_link', `, and any of ${LINK_FIELDS.replace(' title,', '')}`);
const noOperations = (sent?: string) => missing('operations', sent, 'bulk_edit_links', ', and any of fields');

const MISTAKES: Partial<Record<ToolName, Mistake[]>> = {
  create_link: [
    ['nothing', {}, noUrl()],
    ...['url', 'long_url', 'destinationUrl'].map(
      (name): Mistake => [`${name}, another name of the URL`, { [name]: destination_url }, noUrl(name)],
    ),
    ...['input', 'arguments', 'link'].map(
      (name): Mistake => [`everything within ${name}`, { [name]: { destination_url } }, noUrl(name)],
    ),
    ...['tags', 'alias', 'expiresAt', 'domain'].map(
      (name): Mistake => [`${name}, a name of other services`, { destination_url, [name]: 'a' }, noField.create(name)],
    ),
    ['several URLs', { destination_urls: [destination_url] }, noUrl('destination_urls')],
    ['a list of URLs', { destination_url: [destination_url] }, /^"destination_url" must be a string.*an array\.$/],
    ['a read-only field', { destination_url, clicks: 0 }, /^"clicks" is read-only and cannot be sent\. Expected: \{/],
    [
      'a URL without a scheme',
      { destination_url: 'a.com' },
      `"destination_url" must be ${URL_FORM}; you sent "a.com".`,
    ],
    ['a Markdown link', { destination_url: '[a](https://a.com)' }, /^"destination_url" must be an absolute http/],
    ['an empty URL', { destination_url: '' }, /^"destination_url" must be 1 to 2048 characters long; you sent 0\.$/],
    [
      'a slug with a slash',
      { destination_url, slug: '/sale' },
      '"slug" must be letters, digits, "_" and "-", not beginning with "_" or "-"; you sent "/sale".',
    ],
    ['a slug with spaces', { destination_url, slug: 'summer sale' }, /^"slug" must be letters, digits, /],
    ['a number as the slug', { destination_url, slug: 2027 }, /^"slug" must be a string, .*; you sent 2027\.$/],
    ['hashtags as text', { destination_url, hashtags: 'a, b' }, '"hashtags" must be an array; you sent "a, b".'],
    ['one hashtag', { destination_url, hashtags: '#a' }, '"hashtags" must be an array; you sent "#a".'],
    [
      'hashtags with spaces',
      { destination_url, hashtags: ['summer sale'] },
      /^"hashtags\[0\]" must be 1 to 50 letters/,
    ],
    ['hashtags as objects', { destination_url, hashtags: [{ name: 'a' }] }, /^"hashtags\[0\]" must be a string/],
    ...['Public', 'password_protected', ''].map(
      (sent): Mistake => [
        `the visibility ${sent}`,
        { destination_url, visibility: sent },
        `"visibility" must be one of public, unlisted, private, password-protected; you sent "${sent}".`,
      ],
    ),
    ['a boolean as the visibility', { destination_url, visibility: true }, /^"visibility" must be a string, one of /],
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
    ...['2027-01-31', '01/31/2027', 'in 7 days', '2027-01-31 12:00', 'never'].map(
      (sent): Mistake => [
        `the time ${sent}`,
        { destination_url, expires_at: sent },
        `"expires_at" must be ${EXPIRY}; you sent "${sent}".`,
      ],
    ),
    [
      'a Unix time',
      { destination_url, expires_at: 1790000000 },
      `"expires_at" must be a string, ${EXPIRY}; you sent 1790000000.`,
    ],
    ['yes', { destination_url, archived: 'yes' }, '"archived" must be true or false; you sent "yes".'],
    ['1', { destination_url, auto_meta: 1 }, '"auto_meta" must be true or false; you sent 1.'],
    [
      'a number as the title',
      { destination_url, title: 2027 },
      '"title" must be a string, or "" to empty it; you sent 2027.',
    ],
    ['a note that is an object', { destination_url, note: {} }, '"note" must be a string, or "" to empty it.'],
  ],
  update_link: [
    ['no id', { title: 'x' }, noId()],
    ...['link_id', 'ID'].map(
      (name): Mistake => [`${name}, another name of the id`, () => ({ [name]: ids.own, title: 'x' }), noId(name)],
    ),
    ['everything within input', () => ({ input: { id: ids.own, title: 'x' } }), noId('input')],
    ['a number as the id', { id: 17, title: 'x' }, '"id" must be a string; you sent 17.'],
    ['a list of ids', () => ({ id: [ids.own], title: 'x' }), '"id" must be a string; you sent an array.'],
    ['a slug that no link has', { id: 'no-such-slug', title: 'x' }, NO_LINK],
    ['the id of another account', () => ({ id: ids.foreign, title: 'x' }), NO_LINK],
    ...['link', 'changes', 'auto_meta'].map(
      (name): Mistake => [`the fields within ${name}`, () => ({ id: ids.own, [name]: {} }), noField.update(name)],
    ),
    ['a read-only field', () => ({ id: ids.own, short_url: 'x' }), /^"short_url" is read-only and cannot be sent\./],
    ['hashtags as text', () => ({ id: ids.own, hashtags: 'a' }), '"hashtags" must be an array; you sent "a".'],
    [
      'a boolean as the time',
      () => ({ id: ids.own, expires_at: false }),
      `"expires_at" must be a string, ${EXPIRY}; you sent false.`,
    ],
  ],
  delete_link: [
    ['nothing', {}, missing('id', undefined, 'delete_link')],
    ...['ids', 'slug', 'input'].map(
      (name): Mistake => [name, () => ({ [name]: ids.own }), missing('id', name, 'delete_link')],
    ),
    [
      'a confirmation',
      () => ({ id: ids.own, confirm: true }),
      '"confirm" is not a known field; the known ones are id. Expected: {"id":"019a4f0e8f2c7d31a4b6"}.',
    ],
    ['a URL of another service', { id: 'https://short.example/x' }, NO_LINK],
    ['the id of another account', () => ({ id: ids.foreign }), NO_LINK],
  ],
  get_qr_code: [
    ['nothing', {}, missing('id', undefined, 'get_qr_code')],
    ...['link_id', 'url'].map((name): Mistake => [name, { [name]: 'x' }, missing('id', name, 'get_qr_code')]),
    ...['format', 'width'].map(
      (name): Mistake => [name, () => ({ id: ids.own, [name]: 'x' }), unknown(name, 'id, size', 'get_qr_code')],
    ),
    ['too small a size', () => ({ id: ids.own, size: 10 }), '"size" must be between 64 and 2048; you sent 10.'],
    [
      'a size with its unit',
      () => ({ id: ids.own, size: '512px' }),
      '"size" must be a whole number; you sent "512px".',
    ],
    ['the id of another account', () => ({ id: ids.foreign }), NO_LINK],
  ],
  list_links: [
    ...['limit', 'cursor', 'query', 'tag'].map(
      (name): Mistake => [`${name}, a name of other services`, { [name]: 'x' }, noField.list(name)],
    ),
    ...['sort_by', 'url', 'input'].map(
      (name): Mistake => [`${name}, a name of other services`, { [name]: {} }, noField.list(name)],
    ),
    ['a word as a number', { per: 'all' }, '"per" must be a whole number; you sent "all".'],
    ['a fraction', { per: 2.5 }, '"per" must be a whole number; you sent 2.5.'],
    ['too large a page', { per: 1000 }, '"per" must be between 1 and 100; you sent 1000.'],
    ['the first page as 0', { page: 0 }, '"page" must be between 1 and 1000000; you sent 0.'],
    ...['-clicks', 'Clicks', 'createdAt'].map(
      (sent): Mistake => [
        `the sort ${sent}`,
        { sort: sent },
        `"sort" must be one of created_at, updated_at, title, slug, clicks, destination_url; you sent "${sent}".`,
      ],
    ),
    ['another direction', { dir: 'descending' }, '"dir" must be one of asc, desc; you sent "descending".'],
    ['capital letters', { dir: 'DESC' }, '"dir" must be one of asc, desc; you sent "DESC".'],
    [
      'a number as the enumeration',
      { archived: 1 },
      '"archived" must be a string, one of false, true, any; you sent 1.',
    ],
    ['a list of words', { q: ['a', 'b'] }, '"q" must be a string; you sent an array.'],
    ['a list of tags', { hashtag: ['a'] }, /^"hashtag" must be a string, 1 to 50 letters.*; you sent an array\.$/],
    [
      'a URL as the domain',
      { domain: 'https://example.com/x' },
      '"domain" must be a host name alone, such as example.com, which finds the hosts below it too; you sent "https://example.com/x".',
    ],
    ...['30d', '01/31/2027', 'yesterday'].map(
      (sent): Mistake => [
        `the time ${sent}`,
        { last_clicked_before: sent },
        `"last_clicked_before" must be ${MOMENT}; you sent "${sent}".`,
      ],
    ),
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
    ['a list of fields', { fields: [7] }, /^"fields" must be a string, field names separated by commas .*an array\.$/],
    ['fields with spaces alone', { fields: 'slug clicks' }, /^"fields" must be field names separated by commas/],
    ['another name of a field', { fields: 'url' }, /^"fields" must be field names .*; you sent "url"\.$/],
    ['all fields', { fields: '*' }, /^"fields" must be field names .*; you sent "\*"\.$/],
  ],
  get_analytics: [
    ...['period', 'start_date', 'timezone', 'group_by'].map(
      (name): Mistake => [`${name}, a name of other services`, { [name]: '30d' }, noField.analytics(name)],
    ),
    ...['id', 'slug', 'input'].map(
      (name): Mistake => [`${name} as the link`, () => ({ [name]: ids.own }), noField.analytics(name)],
    ),
    ['days in words', { days: '30d' }, '"days" must be a whole number; you sent "30d".'],
    ['too many days', { days: 3650 }, '"days" must be between 1 and 365; you sent 3650.'],
    ['half a window', { from: '2026-01-01' }, '"from" and "to" must be sent together; "to" is missing.'],
    [
      'both windows',
      { days: 7, from: '2026-01-01', to: '2026-01-31' },
      'Send either "days" or "from" and "to", not both.',
    ],
    ...['2026-01-01T00:00:00Z', '01/01/2026', 'today'].map(
      (sent): Mistake => [
        `the date ${sent}`,
        { from: sent, to: '2026-01-31' },
        `"from" must be a date such as 2026-02-28; you sent "${sent}".`,
      ],
    ),
    ['a Unix time', { from: 1790000000, to: 1790000001 }, /^"from" must be a string, a date such as 2026-02-28; /],
    ...['CEST', '+02:00', 'Berlin'].map(
      (sent): Mistake => [
        `the time zone ${sent}`,
        { tz: sent },
        `"tz" must be an IANA time zone such as UTC or Europe/Berlin; you sent "${sent}".`,
      ],
    ),
    ['a list of parts', { include: [7] }, `"include" must be a string, ${PARTS}; you sent an array.`],
    ['another name of a part', { include: 'country' }, `"include" must be ${PARTS}; you sent "country".`],
    [
      'a country by its name',
      { country: 'Germany' },
      expect.stringContaining('such as GB, or unknown; you sent "Germany".'),
    ],
    [
      'a kind of device that there is not',
      { device: 'phone' },
      '"device" must be one of desktop, mobile, tablet, other; you sent "phone".',
    ],
    ['one part of a pair', { cross: 'source' }, `"cross" must be ${PAIR}; you sent "source".`],
    ['an unknown part of a pair', { cross: 'source,city' }, `"cross" must be ${PAIR}; you sent "source,city".`],
    ['growth alone', { top_by: 'growth' }, '"top_by" can be growth only with "previous" in "include".'],
    ['a slug that no link has', { link_id: 'no-such-slug' }, NO_LINK],
    ['the id of another account', () => ({ link_id: ids.foreign }), NO_LINK],
  ],
  get_me: [['an argument', { username: 'x' }, '"username" is not a known field; this tool takes no arguments.']],
  bulk_edit_links: [
    ['nothing', {}, noOperations()],
    ...['links', 'input'].map(
      (name): Mistake => [`${name} in place of operations`, { [name]: [{ destination_url }] }, noOperations(name)],
    ),
    ['one operation, flat', { op: 'delete', id: 'x' }, noOperations('op')],
    ['no operation', { operations: [] }, '"operations" must have at least 1 item.'],
    ['one operation', { operations: { op: 'delete' } }, '"operations" must be an array; you sent an object.'],
    ['operations as text', { operations: 'x' }, '"operations" must be an array; you sent "x".'],
    [
      'a further name',
      { operations: [{ op: 'delete', id: 'x' }], dry_run: true },
      unknown('dry_run', 'operations, fields', 'bulk_edit_links'),
    ],
    [
      'too many operations',
      { operations: Array.from({ length: 101 }, () => ({ op: 'delete', id: 'x' })) },
      '"operations" must have at most 100 items; you sent 101.',
    ],
  ],
  edit_links: [
    ['no filter', { kind: 'delete' }, missing('filter', undefined, 'edit_links', ', and any of matched_max, dry_run')],
    [
      'an empty filter',
      { kind: 'delete', filter: {} },
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [
      'all beside a filter',
      { kind: 'delete', filter: { all: true, q: 'x' } },
      '"filter.all" cannot be combined with other filters.',
    ],
    [
      'filters outside of the filter',
      { kind: 'delete', filter: { hashtag: 'x' }, q: 'x' },
      unknown('q', 'kind, filter, change, matched_max, dry_run', 'edit_links'),
    ],
    [
      'fields outside of the change',
      { kind: 'edit', filter: { q: 'x' }, title: 'x' },
      unknown('title', 'kind, filter, change, matched_max, dry_run', 'edit_links'),
    ],
    ['no change', { kind: 'edit', filter: { q: 'x' } }, '"change" is required for "kind" edit.'],
    [
      'another kind',
      { kind: 'archive', filter: { q: 'x' } },
      '"kind" must be one of edit, delete; you sent "archive".',
    ],
    [
      'a field that links do not share',
      { kind: 'edit', filter: { q: 'x' }, change: { slug: 'x' } },
      expect.stringMatching(/^"change\.slug" is not a known field; the known ones are destination_url, /),
    ],
    [
      'a URL as the host',
      { kind: 'edit', filter: { q: 'x' }, change: { replace_host: { from: 'a.example', to: 'https://b.example/' } } },
      '"change.replace_host.to" must be a host name such as example.com; you sent "https://b.example/".',
    ],
  ],
  get_job: [
    ['no id', {}, missing('id', undefined, 'get_job')],
    ['the id of a link', () => ({ id: ids.own }), 'Job not found.'],
  ],
};

/** Mistakes in one operation of bulk_edit_links. */
const MISTAKES_OF_OPERATIONS: Mistake[] = [
  ...['archive', 'Create', 'create_link'].map(
    (op): Mistake => [
      `the operation ${op}`,
      { op },
      `"op" must be one of create, update, upsert, delete; you sent "${op}". Expected: ${ANY_OPERATION}.`,
    ],
  ),
  ...['action', 'destination_url'].map(
    (name): Mistake => [`no op, but ${name}`, { [name]: 'create' }, `"op" is required. Expected: ${ANY_OPERATION}.`],
  ),
  [
    'fields beside the op',
    { op: 'create', destination_url },
    `"destination_url" is not a known field; the known ones are op, id, link. Expected: ${OPERATIONS.create}.`,
  ],
  [
    'fields beside the id',
    () => ({ op: 'update', id: ids.own, title: 'x' }),
    `"title" is not a known field; the known ones are op, id, link. Expected: ${OPERATIONS.update}.`,
  ],
  [
    'fields within data',
    { op: 'create', data: { destination_url } },
    `"data" is not a known field; the known ones are op, id, link. Expected: ${OPERATIONS.create}.`,
  ],
  [
    'a URL as the link',
    { op: 'create', link: destination_url },
    `"link" must be an object with fields of the link, for "op" create. Expected: ${OPERATIONS.create}.`,
  ],
  ['another name of the URL', { op: 'create', link: { url: destination_url } }, noUrl('url')],
  ['a further name', { op: 'create', link: { destination_url, tags: [] } }, noField.create('tags')],
  [
    'a number as the title',
    { op: 'create', link: { destination_url, title: 7 } },
    '"title" must be a string, or "" to empty it; you sent 7.',
  ],
  [
    'no link',
    () => ({ op: 'update', id: ids.own }),
    `"link" is required for "op" update. Expected: ${OPERATIONS.update}.`,
  ],
  [
    'the id in the link',
    () => ({ op: 'update', link: { id: ids.own } }),
    `"id" is required for "op" update. Expected: ${OPERATIONS.update}.`,
  ],
  [
    'several ids',
    { op: 'delete', ids: [] },
    `"ids" is not a known field; the known ones are op, id, link. Expected: ${OPERATIONS.delete}.`,
  ],
  [
    'link_id',
    () => ({ op: 'delete', link_id: ids.own }),
    `"link_id" is not a known field; the known ones are op, id, link. Expected: ${OPERATIONS.delete}.`,
  ],
  ['a slug that no link has', { op: 'delete', id: 'no-such-slug' }, NO_LINK],
  [
    'an upsert without a slug',
    { op: 'upsert', link: { destination_url } },
    /^"slug" is required\. Expected: \{"slug":"sale","destination_url":"https:\/\/example\.com\/"\}, and any of host, title, /,
  ],
  [
    'an upsert with an id',
    () => ({ op: 'upsert', id: ids.own, link: {} }),
    `"id" cannot be sent with "op" upsert; "slug" names the link. Expected: ${OPERATIONS.upsert}.`,
  ],
  ['an upsert without a URL', { op: 'upsert', link: { slug: 'no-such-slug' } }, '"destination_url" is required.'],
  ['the id of another account', () => ({ op: 'delete', id: ids.foreign }), NO_LINK],
  ['a text', 'delete' as never, `An operation must be a JSON object with "op". Expected: ${ANY_OPERATION}.`],
];

/** What a tool understands although it is a mistake, and the arguments that it means. */
const UNDERSTOOD: Partial<Record<ToolName, [name: string, sent: object, meant: object][]>> = {
  list_links: [
    ['numbers as text', { per: '1', page: '2' }, { per: 1, page: 2 }],
    ['a boolean', { archived: true }, { archived: 'true' }],
    ['spaces after commas', { fields: 'slug, clicks' }, { fields: 'slug,clicks' }],
    ['null for what is not sent', { q: null, hashtag: null, per: null, fields: 'id' }, { fields: 'id' }],
    ['what n8n adds', { toolCallId: 'x', sessionId: 'y', action: 'z', chatInput: 'a', fields: 'id' }, { fields: 'id' }],
  ],
  get_analytics: [
    ['numbers as text', { days: '7', top: '3' }, { days: 7, top: 3 }],
    ['spaces after commas', { include: 'countries, previous' }, { include: 'countries,previous' }],
  ],
  bulk_edit_links: [
    [
      'booleans as text, null and spaces after commas',
      {
        operations: [{ op: 'create', id: null, link: { destination_url, archived: 'true', title: null } }],
        fields: 'archived, title',
      },
      { operations: [{ op: 'create', link: { destination_url, archived: true } }], fields: 'archived,title' },
    ],
  ],
};

const argumentsOf = (args: Mistake[1]) => (typeof args === 'function' ? args() : args) as Record<string, unknown>;
const matching = (error: unknown) => (error instanceof RegExp ? expect.stringMatching(error) : error);

test.each(Object.entries(MISTAKES))('%s says what to change', async (tool, mistakes) => {
  for (const [what, args, error] of mistakes)
    expect.soft(await mcp.call(tool, argumentsOf(args)), what).toMatchObject({ isError: true, text: matching(error) });
});

test('an operation of bulk_edit_links says what to change', async () => {
  for (const [what, args, error] of MISTAKES_OF_OPERATIONS) {
    const { result } = await mcp.call('bulk_edit_links', { operations: [argumentsOf(args)] });
    const results = [{ status: expect.toBeOneOf([404, 422]), error: matching(error) }];
    expect.soft(result, what).toEqual({ results });
  }
});

test.each(Object.entries(UNDERSTOOD))('%s understands what models confuse', async (tool, mistakes) => {
  // Each creation has an id of its own.
  const withoutIds = (text: string) => text.replace(/"id":"\w+"/g, '');
  for (const [what, sent, meant] of mistakes) {
    const expected = await mcp.call(tool, meant as Record<string, unknown>);
    expect(expected).toMatchObject({ isError: false });
    const understood = await mcp.call(tool, sent as Record<string, unknown>);
    expect.soft(withoutIds(understood.text), what).toBe(withoutIds(expected.text));
  }
});

test('every tool understands its arguments as a JSON text', async () => {
  for (const [name, args, result] of [
    ['get_me', '', { plan: 'developer' }],
    ['list_links', '{"per":1,"fields":"id"}', { per: 1 }],
    ['get_qr_code', JSON.stringify({ id: ids.own, size: '64' }), { short_url: expect.any(String) }],
    ['bulk_edit_links', '{"operations":[{"op":"delete","id":"x"}]}', { results: [{ status: 404 }] }],
  ] as const) {
    const { body } = await request<{ result: { content: { text: string }[] } }>('/mcp', {
      method: 'POST',
      key,
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    expect(JSON.parse(body.result.content[0]!.text)).toMatchObject(result);
  }
});

test('an unknown tool is answered with the names of those that exist', async () => {
  await expect(mcp.call('create_short_link', { destination_url })).rejects.toThrow(
    `Unknown tool "create_short_link"; the known ones are ${TOOL_NAMES.join(', ')}.`,
  );
});
