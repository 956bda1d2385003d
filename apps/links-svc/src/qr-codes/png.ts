import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The bits of a channel, and the type of color of an image (https://www.w3.org/TR/png-3/#3colourType). */
const PALETTE_OF_BITS = [1, 3] as const;
const TRUE_COLOR = [8, 2] as const;

/**
 * Returns a PNG of one bit for each pixel (https://www.w3.org/TR/png-3/). `rows` has the rows of a square image, each of
 * them a filter byte and the bits of its pixels, and `palette` red, green and blue of 0 and 1. It is a tenth of the work
 * of `pngjs`, which writes at least a byte for each pixel.
 */
export function pngOfBits(size: number, rows: Uint8Array, palette: number[][]): Uint8Array {
  return pngOf(size, PALETTE_OF_BITS, [chunk('PLTE', Buffer.from(palette.flat())), chunk('IDAT', deflateSync(rows))]);
}

/** Returns a PNG whose rows have a filter byte, and red, green and blue of each pixel. */
export function pngOfPixels(size: number, rows: Uint8Array): Uint8Array {
  return pngOf(size, TRUE_COLOR, [chunk('IDAT', deflateSync(rows, { level: 1 }))]);
}

function pngOf(size: number, [bits, colorType]: readonly [number, number], content: Buffer[]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = bits;
  header[9] = colorType;
  const chunks = [chunk('IHDR', header), ...content, chunk('IEND', Buffer.alloc(0))];
  // A small buffer is a part of a larger one, and all of that would be sent to another thread.
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]));
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}
