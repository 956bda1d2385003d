/** A language of two letters that is the first of `Accept-Language` (RFC 9110), with or without a script or region. */
const FIRST_LANGUAGE = /^[\s,]{0,9}([a-z]{2})(?![a-z0-9])/i;
/** Codes that ISO 639 has replaced and some devices still send. */
const REPLACED: Readonly<Record<string, string>> = { in: 'id', iw: 'he', ji: 'yi' };

/**
 * Returns the first language of an `Accept-Language` header as two letters in lower case. Returns an empty text if it is
 * missing or has no code of two letters.
 */
export function languageOf(acceptLanguage: string | undefined): string {
  const code = FIRST_LANGUAGE.exec(acceptLanguage ?? '')?.[1]?.toLowerCase() ?? '';
  return REPLACED[code] ?? code;
}
