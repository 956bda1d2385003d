import { create } from '@bufbuild/protobuf';
import { type Clicks, ClicksSchema, type TextColumn } from '../gen/analytics/v1/analytics_pb.ts';

/** One redirect that was served, with the data of its request. */
export interface ReportedClick {
  /** A UUIDv7 as 32 hexadecimal digits. */
  id: string;
  accountId: string;
  linkId: string;
  /** Whole milliseconds since the epoch. */
  clickedAtMs: number;
  userAgent: string;
  referrer: string;
  /** The `utm_source` of the short URL, else of the destination, as sent, or an empty string. */
  utmSource: string;
  /** The other `utm_…`, in the same way. */
  utmCampaign: string;
  utmMedium: string;
  utmContent: string;
  utmTerm: string;
  /** The first language of `Accept-Language`, two letters in lower case, or an empty string if unknown. */
  language: string;
  /** ISO 3166-1 alpha-2 in upper case, or an empty string if unknown. */
  country: string;
  /** 16 hexadecimal digits that tell the visitors of a day apart, or an empty string if unknown. */
  visitor: string;
  /** The short host of the link at the click, or an empty string for the default host. */
  host: string;
  /** True for a HEAD request, and if a header says that it is a prefetch. */
  prefetch: boolean;
}

/** An index has two bytes, so it can refer to this many different texts. */
const CLICKS_MAX = 0x1_0000;
const ID_BYTES = 16;
const ID_DIGITS = 2 * ID_BYTES;
const VISITOR_BYTES = 8;
const VISITOR_DIGITS = 2 * VISITOR_BYTES;
const UNKNOWN_VISITOR = '0'.repeat(VISITOR_DIGITS);

/**
 * Converts clicks to a message, which stores them by column.
 * @throws {TypeError} if an id is not 32 hexadecimal digits, or a visitor not 16.
 * @throws {RangeError} for more than 65,536 clicks.
 */
export function clicksToMessage(clicks: readonly ReportedClick[]): Clicks {
  if (clicks.length > CLICKS_MAX)
    throw new RangeError(`a message can hold at most ${CLICKS_MAX} clicks, not ${clicks.length}`);
  return create(ClicksSchema, {
    count: clicks.length,
    ids: hexBytes(ID_BYTES, clicks, ({ id }) => id),
    clickedAtMs: timeBytes(clicks),
    accountIds: textColumn(clicks, ({ accountId }) => accountId),
    linkIds: textColumn(clicks, ({ linkId }) => linkId),
    userAgents: textColumn(clicks, ({ userAgent }) => userAgent),
    referrers: textColumn(clicks, ({ referrer }) => referrer),
    utmSources: textColumn(clicks, ({ utmSource }) => utmSource),
    countries: textColumn(clicks, ({ country }) => country),
    visitors: hexBytes(VISITOR_BYTES, clicks, ({ visitor }) => visitor || UNKNOWN_VISITOR),
    hosts: textColumn(clicks, ({ host }) => host),
    languages: textColumn(clicks, ({ language }) => language),
    utmCampaigns: textColumn(clicks, ({ utmCampaign }) => utmCampaign),
    utmMediums: textColumn(clicks, ({ utmMedium }) => utmMedium),
    utmContents: textColumn(clicks, ({ utmContent }) => utmContent),
    utmTerms: textColumn(clicks, ({ utmTerm }) => utmTerm),
    prefetch: Uint8Array.from(clicks, ({ prefetch }) => (prefetch ? 1 : 0)),
  });
}

/** Converts a message back to clicks (inverse of {@link clicksToMessage}). Does not check that the columns match. */
export function clicksFromMessage(message: Clicks): ReportedClick[] {
  const ids = Buffer.from(message.ids).toString('hex');
  const visitors = Buffer.from(message.visitors).toString('hex');
  const times = timesOf(message.clickedAtMs);
  const texts = (column: TextColumn | undefined) => {
    const { texts, indexes } = column!;
    return Array.from(indexesOf(indexes), (index) => texts[index]!);
  };
  const accountIds = texts(message.accountIds);
  const linkIds = texts(message.linkIds);
  const userAgents = texts(message.userAgents);
  const referrers = texts(message.referrers);
  const utmSources = texts(message.utmSources);
  const countries = texts(message.countries);
  const hosts = texts(message.hosts);
  const languages = texts(message.languages);
  const utmCampaigns = texts(message.utmCampaigns);
  const utmMediums = texts(message.utmMediums);
  const utmContents = texts(message.utmContents);
  const utmTerms = texts(message.utmTerms);
  const visitorOf = (index: number) => {
    const visitor = visitors.slice(index * VISITOR_DIGITS, (index + 1) * VISITOR_DIGITS);
    return visitor === UNKNOWN_VISITOR ? '' : visitor;
  };
  return Array.from(times, (clickedAtMs, index) => ({
    id: ids.slice(index * ID_DIGITS, (index + 1) * ID_DIGITS),
    accountId: accountIds[index]!,
    linkId: linkIds[index]!,
    clickedAtMs,
    userAgent: userAgents[index]!,
    referrer: referrers[index]!,
    utmSource: utmSources[index]!,
    utmCampaign: utmCampaigns[index]!,
    utmMedium: utmMediums[index]!,
    utmContent: utmContents[index]!,
    utmTerm: utmTerms[index]!,
    language: languages[index]!,
    country: countries[index]!,
    visitor: visitorOf(index),
    host: hosts[index]!,
    prefetch: message.prefetch[index] === 1,
  }));
}

/** Decodes a column of times, in milliseconds since the epoch. Ignores bytes after the last complete value. */
export function timesOf(bytes: Uint8Array): Float64Array {
  const view = viewOf(bytes);
  const times = new Float64Array(Math.floor(bytes.length / 8));
  for (let n = 0; n < times.length; n++)
    times[n] = view.getUint32(n * 8 + 4, true) * 2 ** 32 + view.getUint32(n * 8, true);
  return times;
}

/** Decodes a column of indexes. Ignores a byte after the last complete value. */
export function indexesOf(bytes: Uint8Array): Uint16Array {
  const view = viewOf(bytes);
  const indexes = new Uint16Array(Math.floor(bytes.length / 2));
  for (let n = 0; n < indexes.length; n++) indexes[n] = view.getUint16(n * 2, true);
  return indexes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function hexBytes(
  bytesOfEach: number,
  clicks: readonly ReportedClick[],
  hexOf: (click: ReportedClick) => string,
): Buffer {
  const bytes = Buffer.allocUnsafe(clicks.length * bytesOfEach);
  for (const [index, click] of clicks.entries()) {
    const hex = hexOf(click);
    const written = bytes.write(hex, index * bytesOfEach, bytesOfEach, 'hex');
    if (hex.length !== 2 * bytesOfEach || written !== bytesOfEach)
      throw new TypeError(`an id or a visitor of a click does not have ${2 * bytesOfEach} hexadecimal digits`);
  }
  return bytes;
}

function timeBytes(clicks: readonly ReportedClick[]): Uint8Array {
  const bytes = new Uint8Array(clicks.length * 8);
  const view = viewOf(bytes);
  for (const [index, { clickedAtMs }] of clicks.entries()) {
    const high = Math.floor(clickedAtMs / 2 ** 32);
    view.setUint32(index * 8, clickedAtMs - high * 2 ** 32, true);
    view.setUint32(index * 8 + 4, high, true);
  }
  return bytes;
}

function textColumn(clicks: readonly ReportedClick[], textOf: (click: ReportedClick) => string) {
  const indexOf = new Map<string, number>();
  const indexes = new Uint8Array(clicks.length * 2);
  const view = viewOf(indexes);
  let before: string | undefined;
  let index = 0;
  for (let n = 0; n < clicks.length; n++) {
    const text = textOf(clicks[n]!);
    // Most texts repeat the one before, and a comparison is cheaper than a lookup.
    if (text !== before) {
      const known = indexOf.get(text);
      index = known ?? indexOf.size;
      if (known === undefined) indexOf.set(text, index);
      before = text;
    }
    view.setUint16(n * 2, index, true);
  }
  return { texts: [...indexOf.keys()], indexes };
}
