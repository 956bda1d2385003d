import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  type Analytics,
  AppError,
  type CreateLinkInput,
  DEVICES,
  LINK_SORTS,
  Link,
  PLANS,
  SCOPES,
  UpdateLinkInput,
} from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GetMeResponseSchema } from '../gen/accounts/v1/accounts_pb.ts';
import {
  ClicksSchema,
  GetAnalyticsRequestSchema,
  GetAnalyticsResponseSchema,
} from '../gen/analytics/v1/analytics_pb.ts';
import {
  CreateLinkRequestSchema,
  LinkSchema,
  ListLinksRequestSchema,
  ListLinksResponseSchema,
  UpdateLinkRequestSchema,
} from '../gen/links/v1/links_pb.ts';
import { accountFromMe, meFromAccount } from './accounts.ts';
import { analyticsFromMessage, analyticsQuery, analyticsRequest, analyticsToMessage } from './analytics.ts';
import { clicksFromMessage, clicksToMessage } from './clicks.ts';
import {
  createLinkInput,
  createLinkRequest,
  linkFromMessage,
  linkListFromMessage,
  linkListToMessage,
  linkToMessage,
  listLinksQuery,
  listLinksRequest,
  updateLinkInput,
  updateLinkRequest,
} from './links.ts';
import { packTexts, unpackTexts } from './packed-texts.ts';

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
}

/** Generates values of a field from its schema, so that these tests cover a new field of a link automatically. */
function valuesOf({ type, enum: values, pattern, items }: FieldSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(type)) {
    const one = valuesOf({ type: type.find((name) => name !== 'null')!, ...(pattern && { pattern }) });
    return fc.option(one);
  }
  if (values !== undefined) return fc.constantFrom(...values);
  if (type === 'array') return fc.array(valuesOf(items!), { maxLength: 4 });
  if (type === 'integer') return count;
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return pattern?.includes('T\\d\\d') ? time : text;
  throw new Error(`the tests know no values of the type ${type}`);
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
const analytics: fc.Arbitrary<Analytics> = record({
  days: fc.integer({ min: 1, max: 365 }),
  source: textOrNull,
  tz: text,
  from: day,
  to: day,
  clicks: count,
  clicks_by_day: fc.array(record({ date: day, clicks: count }), { maxLength: 4 }),
  devices: fc.array(record({ device: fc.constantFrom(...DEVICES), clicks: count }), { maxLength: 4 }),
  sources: fc.array(record({ source: text, clicks: count }), { maxLength: 4 }),
  top_links: fc.array(
    record({ id: text, slug: text, short_url: text, title: textOrNull, destination_url: text, clicks: count }),
    { maxLength: 4 },
  ),
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

test('a link: null, empty and any code point stay what they are', () => {
  roundTrips(link, (value) => linkFromMessage(sent(LinkSchema, linkToMessage(value))));
});

test('a page of links', () => {
  const list = record({
    links: fc.array(link, { maxLength: 3 }),
    page: fc.integer({ min: 1, max: 1_000_000 }),
    per: fc.integer({ min: 1, max: 100 }),
    total: fc.nat(),
    total_pages: fc.nat(),
  });
  roundTrips(list, (value) => linkListFromMessage(sent(ListLinksResponseSchema, linkListToMessage(value))));
});

test('the query of a list', () => {
  const query = fc
    .tuple(
      record({ q: text.filter((q) => q !== '') }, { requiredKeys: [] }),
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

test('a creation: sent, null and not sent stay apart', () => {
  roundTrips(createInput, (value) => createLinkInput(sent(CreateLinkRequestSchema, createLinkRequest(value))));
});

test('a change: sent, null and not sent stay apart', () => {
  roundTrips(fc.tuple(text, updateInput), ([id, input]) => {
    const request = sent(UpdateLinkRequestSchema, updateLinkRequest(id, input));
    return [request.id, updateLinkInput(request)];
  });
});

test('an account', () => {
  const account = record({
    username: text,
    plan: fc.constantFrom(...PLANS),
    key_scope: fc.constantFrom(...SCOPES),
  });
  roundTrips(account, (value) => accountFromMe(sent(GetMeResponseSchema, meFromAccount(value))));
});

test('analytics and their query', () => {
  roundTrips(analytics, (value) => analyticsFromMessage(sent(GetAnalyticsResponseSchema, analyticsToMessage(value))));
  const query = fc
    .tuple(
      record({ days: fc.integer({ min: 1, max: 365 }), tz: text.filter((tz) => tz !== '') }),
      record({ source: text }, { requiredKeys: [] }),
    )
    .map(([window, source]) => ({ ...window, ...source }));
  roundTrips(query, (value) => analyticsQuery(sent(GetAnalyticsRequestSchema, analyticsRequest(value))));
});

test('clicks: any of them, many of them the same', () => {
  const often = (...texts: string[]) => fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...texts) }, text);
  const click = record({
    id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    accountId: often('a'),
    linkId: often('1', '2', '3'),
    clickedAtMs: fc.maxSafeNat(),
    userAgent: often('', 'Mozilla/5.0'),
    referrer: often('', 'https://example.com/', '__proto__'),
    utmSource: often(''),
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
  prefetch: false,
};

test('clicks: each different text is sent once', () => {
  const message = clicksToMessage(['x', 'y', 'x'].map((userAgent) => ({ ...oneClick, userAgent })));
  expect(message.userAgents).toMatchObject({ texts: packTexts(['x', 'y']), indexes: Uint8Array.of(0, 0, 1, 0, 0, 0) });
  expect(message.linkIds).toMatchObject({ texts: packTexts(['l']), indexes: new Uint8Array(6) });
});

test('clicks: of 65,536 different texts, all are told apart; more clicks are refused', () => {
  const clicks = Array.from({ length: 65_536 }, (_, n) => ({ ...oneClick, linkId: `link ${n}` }));
  expect(clicksFromMessage(clicksToMessage(clicks)).at(-1)!.linkId).toBe('link 65535');
  expect(() => clicksToMessage([...clicks, ...clicks])).toThrow(RangeError);
});

test.each(['', '0'.repeat(31), '0'.repeat(33), 'z'.repeat(32)])('clicks: "%s" is no id', (id) => {
  expect(() => clicksToMessage([{ ...oneClick, id }])).toThrow(TypeError);
});

test('packed texts: any of them, of any length; bytes that end within one are refused', () => {
  const long = fc.constantFrom(...[127, 128, 16_383, 16_384, 2_097_152].map((length) => 'x'.repeat(length)));
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 50, arbitrary: text }, long), { maxLength: 20 }), (texts) => {
      const bytes = packTexts(texts);
      expect(unpackTexts(bytes)).toEqual(texts);
      if (texts.length > 0 && texts.at(-1) !== '') expect(() => unpackTexts(bytes.subarray(0, -1))).toThrow(RangeError);
    }),
  );
  for (const bytes of [[0x80], [0x81], [0xff, 0xff, 0xff, 0xff, 0x0f], [0x80, 0x80, 0x80, 0x80, 0x00]])
    expect(() => unpackTexts(Uint8Array.from(bytes))).toThrow(RangeError);
});

test('a field mask with names that are no fields brings them back for the validation to refuse', () => {
  const request = createLinkRequest({ destination_url: 'https://example.com' });
  request.sent!.paths.push('clicks', '__proto__', 'toString');
  expect(Object.entries(createLinkInput(request) as object)).toEqual([
    ['destination_url', 'https://example.com'],
    ['clicks', null],
    ['__proto__', null],
    ['toString', null],
  ]);
});

test('a field that must have a value is null where a client only listed it', () => {
  const request = updateLinkRequest('x', {});
  request.updateMask!.paths.push('slug', 'hashtags');
  expect(updateLinkInput(request)).toEqual({ slug: null, hashtags: [] });
});

test('a response without its link, or a link without one of its times, is "internal"', () => {
  expect(() => linkFromMessage(undefined)).toThrow(AppError);
  const [message] = fc.sample(link, 1).map(linkToMessage);
  delete message!.createdAt;
  expect(() => linkFromMessage(message)).toThrow(expect.objectContaining({ code: 'internal' }));
});
