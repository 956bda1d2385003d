/**
 * The token of an `Authorization: Bearer …` header (RFC 6750; the scheme in any case, RFC 9110 section 11.1), or null
 * where the header is missing, of another scheme or holds anything but one token.
 */
export function parseBearer(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1] ?? null;
}
