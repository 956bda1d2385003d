import { AppError } from '@waymark/contract';
import { type analyticsV1, indexesOf, timesOf } from '@waymark/proto';
import type { Column, RawClicks } from './click.ts';

/** More than links-svc sends, and far less than ClickHouse takes in one block. */
const CLICKS_MAX = 50_000;
const ID_BYTES = 16;
const TIME_BYTES = 8;
const INDEX_BYTES = 2;
/** What ClickHouse's DateTime can hold. */
const CLICKED_AT_MAX_MS = 0xffff_ffff * 1000;
/** No field of a click is longer. A text is sent once and may stand for every click of the batch. */
const TEXT_MAX_LENGTH = 2_048;

/** The clicks of a message. @throws {AppError} `invalid` where its columns do not go together or a click lacks something. */
export function readClicks(message: analyticsV1.Clicks | undefined): RawClicks {
  if (message === undefined) return EMPTY;
  const { count, ids, prefetch } = message;
  if (count > CLICKS_MAX) throw invalid(`"clicks.count" must be at most ${CLICKS_MAX}; you sent ${count}.`);
  requireBytes('ids', ids, ID_BYTES, count);
  requireBytes('clicked_at_ms', message.clickedAtMs, TIME_BYTES, count);
  requireBytes('prefetch', prefetch, 1, count);
  const clickedAtMs = timesOf(message.clickedAtMs);
  if (clickedAtMs.some((ms) => ms > CLICKED_AT_MAX_MS))
    throw invalid('"clicks.clicked_at_ms" must be milliseconds since 1970, before 2106.');
  return {
    count,
    ids,
    clickedAtMs,
    accountIds: readTexts('account_ids', message.accountIds, count, 1),
    linkIds: readTexts('link_ids', message.linkIds, count, 1),
    userAgents: readTexts('user_agents', message.userAgents, count),
    referrers: readTexts('referrers', message.referrers, count),
    utmSources: readTexts('utm_sources', message.utmSources, count),
    prefetch,
  };
}

const NO_TEXTS = { values: [], indexes: new Uint16Array() };
const EMPTY: RawClicks = {
  count: 0,
  ids: new Uint8Array(),
  clickedAtMs: new Float64Array(),
  accountIds: NO_TEXTS,
  linkIds: NO_TEXTS,
  userAgents: NO_TEXTS,
  referrers: NO_TEXTS,
  utmSources: NO_TEXTS,
  prefetch: new Uint8Array(),
};

function readTexts(
  name: string,
  column: analyticsV1.TextColumn | undefined,
  count: number,
  minLength = 0,
): Column<string> {
  const { texts: values, indexes: bytes } = column ?? { texts: [], indexes: new Uint8Array() };
  requireBytes(`${name}.indexes`, bytes, INDEX_BYTES, count);
  const wrong = values.findIndex(({ length }) => length < minLength || length > TEXT_MAX_LENGTH);
  if (wrong !== -1)
    throw invalid(`"clicks.${name}.texts[${wrong}]" must have ${minLength} to ${TEXT_MAX_LENGTH} characters.`);
  const indexes = indexesOf(bytes);
  const beyond = indexes.findIndex((index) => index >= values.length);
  if (beyond !== -1)
    throw invalid(
      `"clicks.${name}.indexes" must name one of ${values.length} texts; that of click ${beyond} does not.`,
    );
  return { values, indexes };
}

function requireBytes(name: string, bytes: Uint8Array, ofEach: number, count: number): void {
  if (bytes.length !== count * ofEach)
    throw invalid(`"clicks.${name}" must have ${count * ofEach} bytes for ${count} clicks; it has ${bytes.length}.`);
}

function invalid(message: string): AppError {
  return new AppError('invalid', message);
}
