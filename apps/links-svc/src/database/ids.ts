import { randomInt } from 'node:crypto';

/**
 * Crockford's base 32 in lower case: it sorts as numbers do and avoids look-alikes
 * (https://www.crockford.com/base32.html).
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Ten characters hold 50 bits of milliseconds, enough until the year 37647. */
const TIME_LENGTH = 10;

const ACCOUNT_RANDOM_LENGTH = 6;
const LINK_RANDOM_LENGTH = 10;
const HOST_RANDOM_LENGTH = 10;
export const ACCOUNT_ID_LENGTH = TIME_LENGTH + ACCOUNT_RANDOM_LENGTH;

/** Returns the id of a new account: {@link ACCOUNT_ID_LENGTH} characters that sort by creation time. */
export function newAccountId(atMs: number): string {
  return time(atMs) + random(ACCOUNT_RANDOM_LENGTH);
}

/**
 * Returns the id of a new link: the id of its account, the time of its creation, and 50 random bits. So all links of an
 * account are one range of `_id` in the order of `created_at`, which the default list and every count read. No id of
 * another account falls into that range.
 */
export function newLinkId(accountId: string, atMs: number): string {
  return accountId + time(atMs) + random(LINK_RANDOM_LENGTH);
}

/** Returns the id of a new job: made like that of a link, so all jobs of an account are one range of `_id`. */
export function newJobId(accountId: string, atMs: number): string {
  return newLinkId(accountId, atMs);
}

/** Returns the id of a new webhook: made like that of a link, so all webhooks of an account are one range of `_id`. */
export function newWebhookId(accountId: string, atMs: number): string {
  return newLinkId(accountId, atMs);
}

/** Returns the id of a new short host: it sorts by creation time, and has 50 random bits. */
export function newHostId(atMs: number): string {
  return time(atMs) + random(HOST_RANDOM_LENGTH);
}

/** Bounds of ids, both excluded. */
export interface IdRange {
  $gt: string;
  $lt: string;
}

/** A suffix that sorts after every character of an id. */
const AFTER_IDS = '~';

/**
 * Returns the range of the ids of an account's links, or of those that were created in a period, `before` excluded. The
 * ids of its jobs and of their parts are in the same range of their collections.
 */
export function linkIdRange(accountId: string, created: { after?: Date; before?: Date } = {}): IdRange {
  const { after, before } = created;
  // An id is longer than the beginning that it shares with others of its time, so it sorts after it.
  const startOf = (date: Date) => accountId + time(Math.max(date.getTime(), 0));
  return {
    $gt: after === undefined ? accountId : startOf(after),
    $lt: before === undefined ? accountId + AFTER_IDS : startOf(before),
  };
}

const LINK_ID = new RegExp(`^[${ALPHABET}]{${ACCOUNT_ID_LENGTH + TIME_LENGTH + LINK_RANDOM_LENGTH}}$`);

/** Returns true if the text has the form of a link id. No query is needed for any other text. */
export function isLinkId(text: string): boolean {
  return LINK_ID.test(text);
}

/** Returns the account of a link id. */
export function accountIdOfLinkId(id: string): string {
  return id.slice(0, ACCOUNT_ID_LENGTH);
}

/** Returns the creation time in a link id, in milliseconds. */
export function createdAtOfLinkId(id: string): number {
  let ms = 0;
  for (const character of id.slice(ACCOUNT_ID_LENGTH, ACCOUNT_ID_LENGTH + TIME_LENGTH)) {
    ms = ms * ALPHABET.length + ALPHABET.indexOf(character);
  }
  return ms;
}

function time(atMs: number): string {
  let rest = atMs;
  let text = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function random(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}
