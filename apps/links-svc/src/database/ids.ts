import { randomInt } from 'node:crypto';

/** Crockford's base 32 in lower case: sorts as numbers do, has no look-alikes (https://www.crockford.com/base32.html). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 48 bits of milliseconds, good until the year 10889. */
const TIME_LENGTH = 10;

const ACCOUNT_RANDOM_LENGTH = 6;
const LINK_RANDOM_LENGTH = 10;
export const ACCOUNT_ID_LENGTH = TIME_LENGTH + ACCOUNT_RANDOM_LENGTH;

/** The id of a new account: {@link ACCOUNT_ID_LENGTH} characters, later ones sorting after earlier ones. */
export function newAccountId(atMs: number): string {
  return time(atMs) + random(ACCOUNT_RANDOM_LENGTH);
}

/**
 * The id of a new link: its account's id, the moment of its creation, 50 random bits. All links of an account are thus
 * one range of `_id`, in the order of `created_at`, and that range is what the default list and every count walk; no
 * id of one account can be in the range of another.
 */
export function newLinkId(accountId: string, atMs: number): string {
  return accountId + time(atMs) + random(LINK_RANDOM_LENGTH);
}

const LINK_ID = new RegExp(`^[${ALPHABET}]{${ACCOUNT_ID_LENGTH + TIME_LENGTH + LINK_RANDOM_LENGTH}}$`);

/** True where the text has the form of a link's id: anything else need not be asked for. */
export function isLinkId(text: string): boolean {
  return LINK_ID.test(text);
}

/** The moment of creation that is in a link's id, in milliseconds. */
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
