const UTM_MAX_LENGTH = 100;
/** Matches most names: ASCII without spaces, which needs no cleaning and keeps its length in lower case. */
const PLAIN = new RegExp(`^[!-~]{1,${UTM_MAX_LENGTH}}$`);

/**
 * Returns the value of a `utm_…` parameter as it is stored: in lower case, without control characters, and at most 100
 * characters.
 */
export function utmName(sent: string): string {
  if (sent === '') return '';
  if (PLAIN.test(sent)) return sent.toLowerCase();
  // Lower-casing can make a text longer, and the limit applies to the name that is reported.
  const clean = sent
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .toLowerCase();
  return [...clean].slice(0, UTM_MAX_LENGTH).join('').trim();
}
