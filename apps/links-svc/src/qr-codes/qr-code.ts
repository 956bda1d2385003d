import type { QrQuery } from '@waymark/contract';
import QRCode from 'qrcode';
import { pngOf } from './png.ts';

/** The URL of a code, and how it is drawn. */
export interface QrRequest {
  url: string;
  query: QrQuery;
}

/** An image and its media type. */
export interface QrImage {
  type: string;
  body: string | Uint8Array;
}

/** A code that has more modules, margin included, than its image has pixels in a row. */
export interface TooSmall {
  minimumSize: number;
}

/** Returns the QR code of a URL, black on white. */
export async function qrImage({ url, query }: QrRequest): Promise<QrImage | TooSmall> {
  const { format, size, margin, level } = query;
  const { modules } = QRCode.create(url, { errorCorrectionLevel: level });
  const minimumSize = modules.size + 2 * margin;
  if (size < minimumSize) return { minimumSize };
  if (format === 'png') return { type: 'image/png', body: drawPng(modules, size, margin) };
  const body = await QRCode.toString(url, { type: 'svg', width: size, margin, errorCorrectionLevel: level });
  return { type: 'image/svg+xml', body };
}

/** Draws one row of each module and copies it. */
function drawPng(modules: QRCode.BitMatrix, size: number, margin: number): Uint8Array {
  /** A byte that says that the row is not filtered, and a bit for each pixel. */
  const rowBytes = 1 + Math.ceil(size / 8);
  const rows = new Uint8Array(size * rowBytes).fill(0xff);
  for (let y = 0; y < size; y++) rows[y * rowBytes] = 0;
  const width = modules.size + 2 * margin;
  /** The first pixel of each module, so that modules differ by at most one pixel and fill the image. */
  const start = (module: number) => Math.floor(((module + margin) * size) / width);
  for (let row = 0; row < modules.size; row++) {
    const first = start(row) * rowBytes;
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column))
        for (let x = start(column); x < start(column + 1); x++) rows[first + 1 + (x >> 3)]! &= ~(0x80 >> (x & 7));
    for (let y = start(row) + 1; y < start(row + 1); y++) rows.copyWithin(y * rowBytes, first, first + rowBytes);
  }
  return pngOf(size, rows);
}
