import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  ANALYTICS_PARTS,
  Analytics,
  AppError,
  ARCHIVED_FILTERS,
  analyticsParts,
  CROSS_PARTS,
  type CreateLinkInput,
  type CrossPart,
  crossEntry,
  DEVICES,
  EVENT_TYPES,
  EXPIRED_FILTERS,
  LINK_SORTS,
  Link,
  NOT_COUNTED_REASONS,
  PLANS,
  SCOPES,
  TOP_BY,
  UpdateLinkInput,
  VISIBILITIES,
} from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GetMeResponseSchema } from '../gen/accounts/v1/accounts_pb.ts';
import {
  ClicksSchema,
  GetAnalyticsRequestSchema,
  GetAnalyticsResponseSchema,
} from '../gen/analytics/v1/analytics_pb.ts';
import { ListEventsRequestSchema, ListEventsResponseSchema } from '../gen/events/v1/events_pb.ts';
import {
  CreateLinkRequestSchema,
  LinkSchema,
  ListHashtagsResponseSchema,
  ListLinksRequestSchema,
  ListLinksResponseSchema,
  UpdateLinkRequestSchema,
} from '../gen/links/v1/links_pb.ts';
import { accountFromMe, meFromAccount } from './accounts.ts';
import { analyticsFromMessage, analyticsQuery, analyticsRequest, analyticsToMessage } from './analytics.ts';
import { clicksFromMessage, clicksToMessage } from './clicks.ts';
import { eventListFromMessage, eventListToMessage, listEventsQuery, listEventsRequest } from './events.ts';
import {
  createLinkInput,
  createLinkRequest,
  hashtagListFromMessage,
  hashtagListToMessage,
  linkFromMessage,
  linkListFromMessage,
  linkListToMessage,
  linkToMessage,
  listLinksQuery,
  listLinksRequest,
  updateLinkInput,
  updateLinkRequest,
} from './links.ts';

/** Generates ordinary objects, as `JSON.parse` returns them. All keys are present by default. */
function record<T, K extends keyof T = keyof T>(
  model: { [Key in keyof T]: fc.Arbitrary<T[Key]> },
  constraints: fc.RecordConstraints<K> = {},
) {
  return fc.record<T, K>(model, { noNullPrototype: true, ...constraints });
}

/** Any text that UTF-8 can encode, including empty text, any code point and a leading byte-order mark. */
const text = fc.string({ unit: 'binary', maxLength: 20 });
const textOrNull = fc.option(text);
const count = fc.maxSafeNat();
const time = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

interface FieldSchema {
  type: string | string[];
  enum?: string[];
  pattern?: string;
  items?: FieldSchema;
  minItems?: number;
  maximum?: number;
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

/** Generates values of a field from its schema, so that these tests cover a new field of a link automatically. */
function valuesOf(schema: FieldSchema): fc.Arbitrary<unknown> {
  const { type, enum: values, pattern, items, minItems: minLength = 0, properties, required } = schema;
  if (Array.isArray(type)) {
    const one = valuesOf({
      type: type.find((name) => name !== 'null')!,
      ...(pattern && { pattern }),
      ...(schema.maximum && { maximum: schema.maximum }),
      ...(items && { items }),
    });
    // A message cannot tell a list that is null from an empty one.
    return items === undefined ? fc.option(one) : one;
  }
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'array') return fc.array(valuesOf(items!), { minLength, maxLength: 4 });
  if (type === 'object')
    return record(modelOf({ properties: properties! }), { requiredKeys: (required ?? []) as never });
  if (type === 'integer') return schema.maximum === undefined ? count : fc.nat({ max: schema.maximum });
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return pattern?.includes('T\\d\\d') ? time : text;
  throw new Error(`the tests have no values of the type ${type}`);
}
function modelOf<Json>(schema: { properties: object }): { [Name in keyof Json]: fc.Arbitrary<Json[Name]> } {
  const fields = Object.entries(schema.properties as Record<string, FieldSchema>);
  return Object.fromEntries(fields.map(([name, field]) => [name, valuesOf(field)])) as never;
}

const link: fc.Arbitrary<Link> = record(modelOf<Link>(Link));
const updateInput: fc.Arbitrary<UpdateLinkInput> = record(modelOf<UpdateLinkInput>(UpdateLinkInput), {
  requiredKeys: [],
});
const createInput: fc.Arbitrary<CreateLinkInput> = fc
  .tuple(record({ destination_url: text }), updateInput, record({ auto_meta: fc.boolean() }, { requiredKeys: [] }))
  .map(([url, fields, meta]) => ({ ...fields, ...url, ...meta }));

const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, '0')}`);
const parameters = {
  link_id: text,
  hashtag: text,
  device: text,
  country: text,
  browser: text,
  os: text,
  host: text,
  language: text,
  utm_campaign: text,
  utm_medium: text,
  utm_content: text,
  utm_term: text,
  include: fc.subarray([...ANALYTICS_PARTS], { minLength: 1 }).map((parts) => parts.join(',')),
  fields: fc.constantFrom('sources', 'countries,visitors', 'clicks_by_hour,previous'),
  top: fc.integer({ min: 1, max: 100 }),
  top_by: fc.constantFrom(...TOP_BY),
};
const everything = record({
  days: fc.integer({ min: 1, max: 366 }),
  source: textOrNull,
  tz: text,
  from: day,
  to: day,
  clicks: count,
  clicks_by_day: fc.array(record({ date: day, clicks: count, visitors: count }), { maxLength: 4 }),
  devices: fc.array(record({ device: fc.constantFrom(...DEVICES), clicks: count }), { maxLength: 4 }),
  sources: fc.array(record({ source: text, clicks: count }), { maxLength: 4 }),
  top_links: fc.array(
    record({
      id: text,
      slug: text,
      short_url: text,
      title: textOrNull,
      destination_url: text,
      clicks: count,
      previous_clicks: count,
    }),
    { maxLength: 4 },
  ),
  visitors: count,
  countries: fc.array(record({ country: textOrNull, clicks: count }), { maxLength: 4 }),
  browsers: fc.array(record({ browser: text, clicks: count }), { maxLength: 4 }),
  operating_systems: fc.array(record({ os: text, clicks: count }), { maxLength: 4 }),
  referrers: fc.array(record({ referrer: text, clicks: count }), { maxLength: 4 }),
  hosts: fc.array(record({ host: textOrNull, clicks: count }), { maxLength: 4 }),
  languages: fc.array(record({ language: textOrNull, clicks: count }), { maxLength: 4 }),
  utm_campaigns: fc.array(record({ utm_campaign: text, clicks: count }), { maxLength: 4 }),
  utm_mediums: fc.array(record({ utm_medium: text, clicks: count }), { maxLength: 4 }),
  utm_contents: fc.array(record({ utm_content: text, clicks: count }), { maxLength: 4 }),
  utm_terms: fc.array(record({ utm_term: text, clicks: count }), { maxLength: 4 }),
  verdicts: fc.array(record({ verdict: fc.constantFrom(...NOT_COUNTED_REASONS), requests: count }), { maxLength: 4 }),
  clicks_by_hour: fc.array(record({ hour: text, clicks: count }), { maxLength: 4 }),
  previous: record({ from: day, to: day, clicks: count }),
});
/** Analytics with the parts that `include` names, and no others. */
const analytics: fc.Arbitrary<Analytics> = fc
  .tuple(everything, record(parameters, { requiredKeys: [] }))
  .map(([{ clicks_by_day, top_links, ...all }, echo]) => {
    const parts = analyticsParts(echo);
    const fields = Object.entries({
      ...all,
      clicks_by_day: clicks_by_day.map(({ visitors, ...entry }) => ({
        ...entry,
        ...(parts.has('visitors') && { visitors }),
      })),
      top_links: top_links.map(({ previous_clicks, ...link }) => ({
        ...link,
        ...(parts.has('previous') && { previous_clicks }),
      })),
    });
    const ALWAYS = ['days', 'source', 'tz', 'from', 'to', 'clicks', 'clicks_by_day', 'devices', 'sources', 'top_links'];
    const shown = new Set<string>([...ALWAYS, ...parts]);
    if (parts.has('hours')) shown.add('clicks_by_hour');
    const order = Object.keys((Analytics as unknown as { properties: object }).properties);
    return Object.fromEntries(
      [...fields.filter(([name]) => shown.has(name)), ...Object.entries(echo)].sort(
        ([a], [b]) => order.indexOf(a) - order.indexOf(b),
      ),
    ) as unknown as Analytics;
  });

/** Encodes and decodes a message, as if it was sent. */
function sent<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): MessageShape<Schema> {
  return fromBinary(schema, toBinary(schema, message));
}

/** Checks that any value survives a round trip, including the order of its keys, which is the order in the JSON. */
function roundTrips<T>(values: fc.Arbitrary<T>, thereAndBack: (value: T) => unknown) {
  fc.assert(
    fc.property(values, (value) => {
      const back = thereAndBack(value);
      expect(back).toStrictEqual(value);
      expect(JSON.stringify(back)).toBe(JSON.stringify(value));
    }),
  );
}

test('a link keeps null, empty text and every code point', () => {
  roundTrips(link, (value) => linkFromMessage(sent(LinkSchema, linkToMessage(value))));
});

test('a page of links is unchanged by the round trip', () => {
  const list = record({
    links: fc.array(link, { maxLength: 3 }),
    page: fc.integer({ min: 1, max: 1_000_000 }),
    per: fc.integer({ min: 1, max: 100 }),
    total: fc.nat(),
    total_pages: fc.nat(),
  });
  roundTrips(list, (value) => linkListFromMessage(sent(ListLinksResponseSchema, linkListToMessage(value))));
});

test('the query of a list is unchanged by the round trip', () => {
  const query = fc
    .tuple(
      record(
        {
          q: text.filter((q) => q !== ''),
          hashtag: fc.constant('sale'),
          visibility: fc.constantFrom(...VISIBILITIES),
          domain: fc.constant('example.com'),
          archived: fc.constantFrom(...ARCHIVED_FILTERS),
          created_before: fc.constant('2026-01-31'),
          created_after: fc.constant('2026-01-30'),
          expired: fc.constantFrom(...EXPIRED_FILTERS),
          destination_url: fc.constant('https://example.com/'),
          last_clicked_before: fc.constant('2026-01-31'),
        },
        { requiredKeys: ['archived'] },
      ),
      record({
        page: fc.integer({ min: 1, max: 1_000_000 }),
        per: fc.integer({ min: 1, max: 100 }),
        sort: fc.constantFrom(...LINK_SORTS),
        dir: fc.constantFrom('asc' as const, 'desc' as const),
      }),
    )
    .map(([search, rest]) => ({ ...search, ...rest }));
  roundTrips(query, (value) => listLinksQuery(sent(ListLinksRequestSchema, listLinksRequest(value))));
});

test('hashtags are unchanged by the round trip', () => {
  const count = fc.nat(Number.MAX_SAFE_INTEGER);
  const hashtags = record({ hashtags: fc.array(record({ hashtag: text, links: count, clicks: count })) });
  roundTrips(hashtags, (value) =>
    hashtagListFromMessage(sent(ListHashtagsResponseSchema, hashtagListToMessage(value))),
  );
});

test('events and their query are unchanged by the round trip', () => {
  const actor = record({
    kind: fc.constantFrom('key' as const, 'system' as const),
    scope: textOrNull,
    hint: textOrNull,
    name: textOrNull,
  });
  const data = fc.dictionary(text, fc.jsonValue({ noUnicodeString: false }), { noNullPrototype: true });
  const event = record(
    { id: text, type: fc.constantFrom(...EVENT_TYPES), created_at: time, actor, data },
    { requiredKeys: ['id', 'type', 'created_at', 'data'] },
  );
  const list = record({ events: fc.array(event, { maxLength: 5 }), next: text, notice: text });
  roundTrips(list, (value) => eventListFromMessage(sent(ListEventsResponseSchema, eventListToMessage(value))));
  const limit = fc.integer({ min: 1, max: 100 });
  const dir = fc.constantFrom('asc' as const, 'desc' as const);
  const query = record({ after: text, types: text, link_id: text, limit, dir }, { requiredKeys: [] });
  roundTrips(query, (value) => listEventsQuery(sent(ListEventsRequestSchema, listEventsRequest(value))));
});

test('a creation distinguishes sent, null and not sent', () => {
  roundTrips(createInput, (value) => createLinkInput(sent(CreateLinkRequestSchema, createLinkRequest(value))));
});

test('an update distinguishes sent, null and not sent', () => {
  roundTrips(fc.tuple(text, updateInput), ([id, input]) => {
    const request = sent(UpdateLinkRequestSchema, updateLinkRequest(id, input));
    return [request.id, updateLinkInput(request)];
  });
});

test('an account is unchanged by the round trip', () => {
  const account = record({
    username: text,
    plan: fc.constantFrom(...PLANS),
    key_scope: fc.constantFrom(...SCOPES),
  });
  roundTrips(account, (value) => accountFromMe(sent(GetMeResponseSchema, meFromAccount(value))));
});

test('analytics and their query are unchanged by the round trip', () => {
  roundTrips(analytics, (value) => analyticsFromMessage(sent(GetAnalyticsResponseSchema, analyticsToMessage(value))));
  const entries = fc.shuffledSubarray([...CROSS_PARTS], { minLength: 2, maxLength: 2 }).chain((drawn) => {
    const parts = drawn as [CrossPart, CrossPart];
    const nameOf = (part: CrossPart) => (part === 'country' ? textOrNull : text);
    const entry = fc.tuple(nameOf(parts[0]), nameOf(parts[1]), count);
    return fc.array(entry, { maxLength: 4 }).map((drawn) => ({
      cross: parts.join(),
      entries: drawn.map(([first, second, clicks]) => crossEntry(parts, [first, second], clicks)),
    }));
  });
  fc.assert(
    fc.property(analytics, entries, (value, { cross, entries }) => {
      const message = sent(GetAnalyticsResponseSchema, analyticsToMessage({ ...value, cross: entries }, cross));
      expect(analyticsFromMessage(message)).toEqual({ ...value, cross: entries });
      expect(JSON.stringify(analyticsFromMessage(message).cross)).toBe(JSON.stringify(entries));
    }),
  );
  const query = fc
    .tuple(
      record({ days: fc.integer({ min: 1, max: 365 }), from: day, to: day }, { requiredKeys: [] }),
      record({ tz: text.filter((tz) => tz !== '') }),
      record({ source: text, cross: text, ...parameters }, { requiredKeys: [] }),
    )
    .map(([window, tz, rest]) => ({ ...window, ...tz, ...rest }));
  roundTrips(query, (value) => analyticsQuery(sent(GetAnalyticsRequestSchema, analyticsRequest(value))));
});

test('any clicks are unchanged by the round trip, also if many have the same texts', () => {
  const often = (...texts: string[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...texts) }, text);
  const click = record({
    id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    accountId: often('a'),
    linkId: often('1', '2', '3'),
    clickedAtMs: fc.maxSafeNat(),
    userAgent: often('', 'Mozilla/5.0'),
    referrer: often('', 'https://example.com/', '__proto__'),
    utmSource: often(''),
    utmCampaign: often('', 'summer'),
    utmMedium: often('', 'email'),
    utmContent: often(''),
    utmTerm: often(''),
    language: often('', 'de'),
    country: often('', 'DE'),
    visitor: fc.oneof(fc.constant(''), fc.stringMatching(/^[1-9a-f][0-9a-f]{15}$/)),
    host: often('', 'go.example.com'),
    prefetch: fc.boolean(),
  });
  roundTrips(fc.array(click, { maxLength: 200, size: 'max' }), (value) =>
    clicksFromMessage(sent(ClicksSchema, clicksToMessage(value))),
  );
});

const oneClick = {
  id: '0'.repeat(32),
  accountId: 'a',
  linkId: 'l',
  clickedAtMs: 1,
  userAgent: '',
  referrer: '',
  utmSource: '',
  utmCampaign: '',
  utmMedium: '',
  utmContent: '',
  utmTerm: '',
  language: 'de',
  country: 'DE',
  visitor: '0123456789abcdef',
  host: 'go.example.com',
  prefetch: false,
};

test('each distinct text of clicks is sent once', () => {
  const message = clicksToMessage(['x', 'y', 'x'].map((userAgent) => ({ ...oneClick, userAgent })));
  expect(message.userAgents).toMatchObject({ texts: ['x', 'y'], indexes: Uint8Array.of(0, 0, 1, 0, 0, 0) });
  expect(message.linkIds).toMatchObject({ texts: ['l'], indexes: new Uint8Array(6) });
});

test('65,536 distinct texts of clicks are distinguished, and more clicks are refused', () => {
  const clicks = Array.from({ length: 65_536 }, (_, n) => ({ ...oneClick, linkId: `link ${n}` }));
  expect(clicksFromMessage(clicksToMessage(clicks)).at(-1)!.linkId).toBe('link 65535');
  expect(() => clicksToMessage([...clicks, ...clicks])).toThrow(RangeError);
});

test.each(['', '0'.repeat(31), '0'.repeat(33), 'z'.repeat(32)])('"%s" is not a valid id of a click', (id) => {
  expect(() => clicksToMessage([{ ...oneClick, id }])).toThrow(TypeError);
});

test('unknown names in a field mask are kept, so that validation refuses them', () => {
  const request = createLinkRequest({ destination_url: 'https://example.com' });
  request.sent!.paths.push('clicks', '__proto__', 'toString');
  expect(Object.entries(createLinkInput(request) as object)).toEqual([
    ['destination_url', 'https://example.com'],
    ['clicks', null],
    ['__proto__', null],
    ['toString', null],
  ]);
});

test('a required field that a client listed without a value is null', () => {
  const request = updateLinkRequest('x', {});
  request.updateMask!.paths.push('slug', 'hashtags');
  expect(updateLinkInput(request)).toEqual({ slug: null, hashtags: [] });
});

test('a response without its link, or a link without one of its times, is an "internal" error', () => {
  expect(() => linkFromMessage(undefined)).toThrow(AppError);
  const [message] = fc.sample(link, 1).map(linkToMessage);
  delete message!.createdAt;
  expect(() => linkFromMessage(message)).toThrow(expect.objectContaining({ code: 'internal' }));
});
