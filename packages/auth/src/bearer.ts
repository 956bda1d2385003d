/**
 * Returns the token of an `Authorization: Bearer …` header (RFC 6750). The case of the scheme is ignored (RFC 9110
 * section 11.1). Returns null if the header is missing, has another scheme, or does not hold exactly one token.
 */
export function parseBearer(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1] ?? null;
}
