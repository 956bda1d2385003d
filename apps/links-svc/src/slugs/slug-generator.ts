import { randomInt } from 'node:crypto';
import { isReservedSlug } from '@waymark/contract';

/** Digits and lower-case letters without look-alikes: no 0 and o, no 1, i and l. */
export const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const LENGTH = 7;

/**
 * Returns a random slug of 7 characters without look-alikes (2.7e10 of them). It is never a reserved word, but may be
 * taken.
 */
export function generateSlug(): string {
  let slug: string;
  do {
    slug = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  } while (isReservedSlug(slug));
  return slug;
}
