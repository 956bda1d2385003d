import { AppError } from '@waymark/contract';
import type { analyticsV1 } from '@waymark/proto';
import type { Column, RawClicks } from './click.ts';

/** More than links-svc sends, and far less than ClickHouse takes in one block. */
const CLICKS_MAX = 50_000;
const UUID_BYTES = 16;
/** What ClickHouse's DateTime can hold. */
const CLICKED_AT_MAX_MS = 0xffff_ffffn * 1000n;
/** No field of a click is longer. A text is sent once and may stand for every click of the batch. */
const TEXT_MAX_LENGTH = 2_048;

/** The clicks of a message. @throws {AppError} `invalid` where its columns do not go together or a click lacks something. */
export function readClicks(message: analyticsV1.Clicks | undefined): RawClicks {
  if (message === undefined) return EMPTY;
  const { ids, clickedAtMs, prefetch } = message;
  const count = clickedAtMs.length;
  if (count > CLICKS_MAX) throw invalid(`"clicks" must have at most ${CLICKS_MAX} clicks; you sent ${count}.`);
  if (ids.length !== count * UUID_BYTES)
    throw invalid(`"clicks.ids" must have ${UUID_BYTES} bytes for each of ${count} clicks; it has ${ids.length}.`);
  if (clickedAtMs.some((ms) => ms > CLICKED_AT_MAX_MS))
    throw invalid('"clicks.clicked_at_ms" must be milliseconds since 1970, before 2106.');
  requireForEach('prefetch', prefetch, count);
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

const NO_TEXTS = { values: [], indexes: [] };
const EMPTY: RawClicks = {
  count: 0,
  ids: new Uint8Array(),
  clickedAtMs: [],
  accountIds: NO_TEXTS,
  linkIds: NO_TEXTS,
  userAgents: NO_TEXTS,
  referrers: NO_TEXTS,
  utmSources: NO_TEXTS,
  prefetch: [],
};

function readTexts(
  name: string,
  column: analyticsV1.TextColumn | undefined,
  count: number,
  minLength = 0,
): Column<string> {
  const { texts: values, indexes } = column ?? { texts: [], indexes: [] };
  requireForEach(`${name}.indexes`, indexes, count);
  const wrong = values.findIndex(({ length }) => length < minLength || length > TEXT_MAX_LENGTH);
  if (wrong !== -1)
    throw invalid(`"clicks.${name}.texts[${wrong}]" must have ${minLength} to ${TEXT_MAX_LENGTH} characters.`);
  const beyond = indexes.findIndex((index) => index >= values.length);
  if (beyond !== -1) throw invalid(`"clicks.${name}.indexes[${beyond}]" must be one of its ${values.length} texts.`);
  return { values, indexes };
}

function requireForEach(name: string, values: readonly unknown[], count: number): void {
  if (values.length !== count)
    throw invalid(`"clicks.${name}" must have one value for each of ${count} clicks; it has ${values.length}.`);
}

function invalid(message: string): AppError {
  return new AppError('invalid', message);
}
