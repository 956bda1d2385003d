/** The maximum length of a destination, in code points. */
export const DESTINATION_MAX_LENGTH = 2_048;
/** The longest query of a short URL that is added to the destination, in characters. */
export const ADDED_QUERY_MAX_LENGTH = 2_048;

/**
 * Returns true for an absolute `http` or `https` URL with a host and without user info. Follows the WHATWG URL standard
 * (https://url.spec.whatwg.org), because browsers parse the `Location` header that way. Rejects what the standard would
 * silently remove: control characters, and white space at the start or end.
 */
export function isDestinationUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s/\\]/i.test(value) || /[\p{Cc}\p{Cs}]|\s$/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && url.hostname !== '' && !hasUserInfo(value);
}

/** Returns true for a URL like {@link isDestinationUrl} that is https. */
export function isHttpsUrl(value: string): boolean {
  return /^https:/i.test(value) && isDestinationUrl(value);
}

/** Returns true if the authority contains an `@`. `URL` does not report empty user info. */
function hasUserInfo(value: string): boolean {
  return /^https?:\/\/[^/?#\\]*@/i.test(value);
}
