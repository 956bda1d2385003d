/** Texts as one run of bytes, as messages have them: each in UTF-8 after its length, a varint. */
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

/** The inverse of {@link packTexts}; `bounds` where they are known. @throws {RangeError} where the bytes end within a text. */
export function unpackTexts(bytes: Uint8Array, bounds = packedBounds(bytes)): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  for (let n = 0; n < bounds.length; n += 2) texts.push(buffer.toString('utf8', bounds[n], bounds[n + 1]));
  return texts;
}

/** Where each packed text begins and ends, in turns. @throws {RangeError} where the bytes end within a text. */
export function packedBounds(bytes: Uint8Array): number[] {
  const bounds: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && shift <= 21; shift += 7) {
      byte = bytes[at++] ?? 0x80;
      length |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80 || at + length > bytes.length) throw new RangeError('the bytes end within a text');
    bounds.push(at, at + length);
    at += length;
  }
  return bounds;
}

/** Of any length below 2^35. */
const LENGTH_MAX_BYTES = 5;
