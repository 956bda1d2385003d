import { TextDecoder } from 'node:util';
import sniffEncoding from 'html-encoding-sniffer';

/** How many bytes of a page are searched for its encoding before it is read (HTML standard, "prescan a byte stream"). */
export const PRESCAN_BYTES = 1_024;

/** The encoding of the Encoding standard for what cannot be decoded safely. */
const REPLACEMENT = 'replacement';

/**
 * Returns the encoding that a page declares: by a byte order mark, its `Content-Type` header, a `meta` element within the
 * first bytes or an XML declaration. Returns null if it declares none that browsers know.
 */
export function declaredEncoding(contentType: string, start: Uint8Array): string | null {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  const encoding = sniffEncoding(start.subarray(0, PRESCAN_BYTES), {
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
    defaultEncoding: '',
  });
  return encoding === '' ? null : encoding;
}

/**
 * Returns the encoding of a page that declares none at its start: that of the first `meta` element in its head, else
 * UTF-8 if the head is valid UTF-8, else Windows-1252, as browsers do.
 */
export function lateEncoding(head: Uint8Array): string {
  return sniffEncoding(head, {
    maxPrescanBytes: Number.POSITIVE_INFINITY,
    defaultEncoding: decodePage(head, 'UTF-8').isDamaged ? 'windows-1252' : 'UTF-8',
  });
}

/**
 * Returns a function that decodes a page piece by piece, to find its end. Without an encoding, each byte becomes one
 * character: all encodings that are not declared at the start write tags as ASCII does.
 */
export function pieceDecoder(encoding: string | null): (bytes: Buffer) => string {
  if (encoding === null || encoding === REPLACEMENT) return (bytes) => bytes.toString('latin1');
  const decoder = new TextDecoder(encoding);
  return (bytes) => decoder.decode(bytes, { stream: true });
}

/** Decodes a page, which may be cut within a character. If some bytes do not decode, they are U+FFFD in the text. */
export function decodePage(page: Uint8Array, encoding: string): { text: string; isDamaged: boolean } {
  if (encoding === REPLACEMENT) return { text: '', isDamaged: true };
  try {
    const strict = new TextDecoder(encoding, { fatal: true });
    return { text: strict.decode(page, { stream: true }), isDamaged: false };
  } catch {
    return { text: new TextDecoder(encoding).decode(page, { stream: true }), isDamaged: true };
  }
}
