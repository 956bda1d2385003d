/**
 * True for an absolute `http` or `https` URL with a host and without user info, as the WHATWG URL standard reads it
 * (https://url.spec.whatwg.org), since that is how a browser will read the `Location` header.
 */
export function isDestinationUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s/\\]/i.test(value) || /[\s\p{Cc}\p{Cs}]$/u.test(value)) return false;
  const url = URL.parse(value);
  return (
    url !== null &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '' &&
    !/^https?:\/\/[^/?#\\]*@/i.test(value)
  );
}
