import type { QrQuery } from '@waymark/contract';
import type { Logo } from '@waymark/service-kit';
import { PNG } from 'pngjs';
import QRCode from 'qrcode';
import { drawLogo, fill, withThreeBytes } from './pixels.ts';
import { pngOfBits, pngOfPixels } from './png.ts';

/** The URL of a code, and how it is drawn. */
export interface QrRequest {
  url: string;
  style: QrStyle;
}

/** How a code is drawn. */
export interface QrStyle extends Pick<QrQuery, 'format' | 'size' | 'margin' | 'level'> {
  /** `#rrggbb`. */
  color: string;
  background: string;
  /** Between threads, a buffer becomes an array of its bytes. */
  logo: { type: Logo['type']; content: Uint8Array } | null;
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

/**
 * The most of a code's width that the place of a logo has. It hides a sixteenth of the modules, of which level H corrects
 * several times as many.
 */
const LOGO_SHARE = 1 / 4;

/** A square in the middle of a code, in modules, which a logo has for itself. */
interface LogoPlace {
  first: number;
  size: number;
}

/** Returns the QR code of a URL. */
export async function qrImage({ url, style }: QrRequest): Promise<QrImage | TooSmall> {
  const { format, size, margin, level, color, background, logo } = style;
  const { modules } = QRCode.create(url, { errorCorrectionLevel: level });
  const minimumSize = modules.size + 2 * margin;
  if (size < minimumSize) return { minimumSize };
  if (format === 'png') return { type: 'image/png', body: drawPng(modules, style) };
  const svg = await QRCode.toString(url, {
    type: 'svg',
    width: size,
    margin,
    errorCorrectionLevel: level,
    color: { dark: color, light: background },
  });
  return {
    type: 'image/svg+xml',
    body: logo === null ? svg : withLogo(svg, logo, placeIn(modules, margin), background),
  };
}

/** The place is centred on modules: a code has an odd number of them in a row, and so has the place. */
function placeIn({ size: modules }: QRCode.BitMatrix, margin: number): LogoPlace {
  const odd = Math.floor(modules * LOGO_SHARE);
  const size = odd % 2 === 1 ? odd : odd - 1;
  return { first: margin + (modules - size) / 2, size };
}

/** Embeds the logo as an image, in which scripts do not run. */
function withLogo(
  svg: string,
  { type, content }: NonNullable<QrStyle['logo']>,
  { first, size }: LogoPlace,
  background: string,
): string {
  const square = `<rect x="${first}" y="${first}" width="${size}" height="${size}" fill="${background}"/>`;
  const [start, side] = [first + 0.5, size - 1];
  const image = `<image x="${start}" y="${start}" width="${side}" height="${side}" href="data:${type};base64,${Buffer.from(content).toString('base64')}"/>`;
  return svg.replace('</svg>', () => `${square}${image}</svg>`);
}

function drawPng(modules: QRCode.BitMatrix, { size, margin, color, background, logo }: QrStyle): Uint8Array {
  const bits = drawModules(modules, size, margin);
  const palette = [color, background].map(channelsOf);
  if (logo === null) return pngOfBits(size, bits, palette);
  const rows = withThreeBytes(bits, size, palette);
  const width = modules.size + 2 * margin;
  const { first, size: side } = placeIn(modules, margin);
  const toPixels = (module: number) => Math.round((module * size) / width);
  fill(rows, size, { start: toPixels(first), end: toPixels(first + side) }, palette[1]!);
  drawLogo(
    rows,
    size,
    { start: toPixels(first + 0.5), end: toPixels(first + side - 0.5) },
    PNG.sync.read(Buffer.from(logo.content)),
  );
  return pngOfPixels(size, rows);
}

/** Draws one row of each module and copies it. A bit is 0 for the color and 1 for the background. */
function drawModules(modules: QRCode.BitMatrix, size: number, margin: number): Uint8Array {
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
  return rows;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
