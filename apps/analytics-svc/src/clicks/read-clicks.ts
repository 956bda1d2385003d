import { AppError } from '@waymark/contract';
import { type analyticsV1, clicksToMessage, indexesOf, timesOf } from '@waymark/proto';
import type { Column, RawClicks } from './click.ts';

/** More than links-svc sends, and far less than ClickHouse accepts in one block. */
const CLICKS_MAX = 50_000;
const ID_BYTES = 16;
const TIME_BYTES = 8;
const VISITOR_BYTES = 8;
const COUNTRY = /^(?:[A-Z]{2})?$/;
const LANGUAGE = /^(?:[a-z]{2})?$/;
const INDEX_BYTES = 2;
/** The latest time that ClickHouse's DateTime can hold. */
const CLICKED_AT_MAX_MS = 0xffff_ffff * 1000;
/**
 * No field of a click has more than 2,048 characters. Texts are limited because one text may be repeated for every
 * click of the batch.
 */
const TEXT_MAX_BYTES = 2_048 * 3;

/**
 * Reads the clicks of a message. A missing message has no clicks.
 * @throws {AppError} `invalid` if its columns do not fit together or a click lacks a value.
 */
export function readClicks(message: analyticsV1.Clicks = clicksToMessage([])): RawClicks {
  const { count, ids, prefetch } = message;
  if (count > CLICKS_MAX) throw invalid(`"clicks.count" must be at most ${CLICKS_MAX}; you sent ${count}.`);
  requireBytes('ids', ids, ID_BYTES, count);
  requireBytes('clicked_at_ms', message.clickedAtMs, TIME_BYTES, count);
  requireBytes('prefetch', prefetch, 1, count);
  requireBytes('visitors', message.visitors, VISITOR_BYTES, count);
  const clickedAtMs = timesOf(message.clickedAtMs);
  if (clickedAtMs.some((ms) => ms > CLICKED_AT_MAX_MS))
    throw invalid('"clicks.clicked_at_ms" must be milliseconds since 1970, before 2106.');
  const countries = readTexts('countries', message.countries, count, 0);
  if (!countries.values.every((country) => COUNTRY.test(country)))
    throw invalid('"clicks.countries" must be codes of two capital letters, or empty.');
  const languages = readAddedTexts('languages', message.languages, count);
  if (!languages.values.every((language) => LANGUAGE.test(language)))
    throw invalid('"clicks.languages" must be codes of two small letters, or empty.');
  return {
    count,
    ids,
    clickedAtMs,
    countries,
    languages,
    visitors: visitorsOf(message.visitors),
    accountIds: readTexts('account_ids', message.accountIds, count, 1),
    linkIds: readTexts('link_ids', message.linkIds, count, 1),
    userAgents: readTexts('user_agents', message.userAgents, count, 0),
    referrers: readTexts('referrers', message.referrers, count, 0),
    utmSources: readTexts('utm_sources', message.utmSources, count, 0),
    utmCampaigns: readAddedTexts('utm_campaigns', message.utmCampaigns, count),
    utmMediums: readAddedTexts('utm_mediums', message.utmMediums, count),
    utmContents: readAddedTexts('utm_contents', message.utmContents, count),
    utmTerms: readAddedTexts('utm_terms', message.utmTerms, count),
    hosts: readTexts('hosts', message.hosts, count, 0),
    prefetch,
  };
}

function visitorsOf(bytes: Uint8Array): BigUint64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const visitors = new BigUint64Array(bytes.length / VISITOR_BYTES);
  for (let n = 0; n < visitors.length; n++) visitors[n] = view.getBigUint64(n * VISITOR_BYTES);
  return visitors;
}

function readTexts(
  name: string,
  column: analyticsV1.TextColumn | undefined,
  count: number,
  minBytes: number,
): Column<string> {
  const { texts: values, indexes: bytes } = column ?? { texts: [], indexes: new Uint8Array() };
  requireBytes(`${name}.indexes`, bytes, INDEX_BYTES, count);
  for (const text of values) {
    const length = Buffer.byteLength(text);
    if (length < minBytes || length > TEXT_MAX_BYTES)
      throw invalid(`"clicks.${name}.texts" must have ${minBytes} to ${TEXT_MAX_BYTES} bytes each; one has ${length}.`);
  }
  const indexes = indexesOf(bytes);
  const beyond = indexes.findIndex((index) => index >= values.length);
  if (beyond !== -1)
    throw invalid(
      `"clicks.${name}.indexes" must name one of ${values.length} texts; that of click ${beyond} does not.`,
    );
  return { values, indexes };
}

/** Reads a column that an earlier version of links-svc does not send: then all its texts are empty. */
function readAddedTexts(name: string, column: analyticsV1.TextColumn | undefined, count: number): Column<string> {
  if (column === undefined) return { values: [''], indexes: new Uint16Array(count) };
  return readTexts(name, column, count, 0);
}

function requireBytes(name: string, bytes: Uint8Array, ofEach: number, count: number): void {
  if (bytes.length !== count * ofEach)
    throw invalid(`"clicks.${name}" must have ${count * ofEach} bytes for ${count} clicks; it has ${bytes.length}.`);
}

function invalid(message: string): AppError {
  return new AppError('invalid', message);
}
