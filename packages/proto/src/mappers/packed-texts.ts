/** Packs texts into one byte string: each is its length in bytes as a varint, followed by its UTF-8. */
export function packTexts(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length + LENGTH_MAX_BYTES, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    let length = lengths[index]!;
    for (; length >= 0x80; length >>>= 7) bytes[at++] = (length & 0x7f) | 0x80;
    bytes[at++] = length;
    at += bytes.write(text, at);
  }
  return bytes.subarray(0, at);
}

/**
 * Unpacks texts (inverse of {@link packTexts}). Pass `bounds` if they are already known.
 * @throws {RangeError} if the bytes end in the middle of a text.
 */
export function unpackTexts(bytes: Uint8Array, bounds = packedBounds(bytes)): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  for (let n = 0; n < bounds.length; n += 2) texts.push(buffer.toString('utf8', bounds[n], bounds[n + 1]));
  return texts;
}

/**
 * Returns the byte offsets of packed texts: the start and the end of each text, interleaved.
 * @throws {RangeError} if the bytes end in the middle of a text, or if a length takes more than four bytes.
 */
export function packedBounds(bytes: Uint8Array): number[] {
  const bounds: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && shift <= 21; shift += 7) {
      byte = bytes[at++] ?? 0x80;
      length |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80 || at + length > bytes.length) throw new RangeError('the bytes end in the middle of a text');
    bounds.push(at, at + length);
    at += length;
  }
  return bounds;
}

/** The varint of a 32-bit length has at most five bytes. */
const LENGTH_MAX_BYTES = 5;
