import type { PNG } from 'pngjs';

/** A square on the diagonal of an image: its first pixel and the one after its last. */
interface Square {
  start: number;
  end: number;
}

const CHANNELS = 3;

/** Returns the rows of a PNG with three bytes for each pixel in place of a bit. `palette` has the colors of 0 and 1. */
export function withThreeBytes(bits: Uint8Array, size: number, palette: number[][]): Uint8Array {
  const bitsRow = 1 + Math.ceil(size / 8);
  const rows = new Uint8Array(size * rowBytes(size));
  for (let y = 0; y < size; y++) {
    const start = y * bitsRow;
    // Most rows are those above them.
    if (y > 0 && Buffer.compare(bits.subarray(start - bitsRow, start), bits.subarray(start, start + bitsRow)) === 0) {
      rows.copyWithin(y * rowBytes(size), (y - 1) * rowBytes(size), y * rowBytes(size));
      continue;
    }
    for (let x = 0; x < size; x++) {
      const bit = (bits[start + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1;
      rows.set(palette[bit]!, offset(size, x, y));
    }
  }
  return rows;
}

/** Fills a square with a color. */
export function fill(rows: Uint8Array, size: number, { start, end }: Square, color: number[]): void {
  for (let y = start; y < end; y++) for (let x = start; x < end; x++) rows.set(color, offset(size, x, y));
}

/** Draws a logo on what is in a square: in its middle, and as large as fits. Each pixel is the mean of those it covers. */
export function drawLogo(rows: Uint8Array, size: number, { start, end }: Square, logo: PNG): void {
  const scale = (end - start) / Math.max(logo.width, logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const left = start + Math.floor((end - start - width) / 2);
  const top = start + Math.floor((end - start - height) / 2);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [red, green, blue, opacity] = meanOf(logo, partOf(x, width, logo.width), partOf(y, height, logo.height));
      const at = offset(size, left + x, top + y);
      for (const [channel, value] of [red, green, blue].entries())
        rows[at + channel] = Math.round(value + rows[at + channel]! * (1 - opacity));
    }
}

/** Returns the pixels of a side that the n-th of `count` pixels covers. */
function partOf(n: number, count: number, length: number): Square {
  const start = Math.floor((n * length) / count);
  return { start, end: Math.max(start + 1, Math.floor(((n + 1) * length) / count)) };
}

/** Returns the mean of pixels: red, green and blue, each multiplied by the opacity, and the opacity, 0 to 1. */
function meanOf({ data, width }: PNG, columns: Square, rows: Square): [number, number, number, number] {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let y = rows.start; y < rows.end; y++)
    for (let x = columns.start; x < columns.end; x++) {
      const at = 4 * (y * width + x);
      const opacity = data[at + 3]! / 255;
      for (let channel = 0; channel < CHANNELS; channel++) sums[channel]! += data[at + channel]! * opacity;
      sums[3] += opacity;
    }
  const count = (rows.end - rows.start) * (columns.end - columns.start);
  return sums.map((sum) => sum / count) as typeof sums;
}

/** A row begins with a byte that says that it is not filtered. */
function rowBytes(size: number): number {
  return 1 + CHANNELS * size;
}

function offset(size: number, x: number, y: number): number {
  return y * rowBytes(size) + 1 + CHANNELS * x;
}
