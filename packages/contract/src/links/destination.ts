/** The code points of a destination. */
export const DESTINATION_MAX_LENGTH = 2_048;

/**
 * True for an absolute `http` or `https` URL with a host and without user info, as the WHATWG URL standard reads it
 * (https://url.spec.whatwg.org), since that is how a browser will read the `Location` header. What the standard would
 * silently strip (control characters, white space at the ends) is refused instead.
 */
export function isDestinationUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s/\\]/i.test(value) || /[\p{Cc}\p{Cs}]|\s$/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && url.hostname !== '' && !hasUserInfo(value);
}

/** True where an `@` ends the authority's user info, even an empty one, which `URL` itself would forget. */
function hasUserInfo(value: string): boolean {
  return /^https?:\/\/[^/?#\\]*@/i.test(value);
}
