import { readFileSync, statSync } from 'node:fs';
import { PNG } from 'pngjs';

/** An image that stands for the operator, as a browser gets it. */
export interface Logo {
  type: 'image/svg+xml' | 'image/png';
  content: Buffer;
  /** The width for a height of 1. */
  ratio: number;
}

const MAX_BYTES = 64 * 1_024;
/** A small file can hold a picture that takes gigabytes. */
const PNG_MAX_PIXELS = 1_024;
const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Far from a square, nothing of a logo can be seen. */
const RATIO_MAX = 16;

/** Reads a logo. Returns null if it is no SVG or PNG file that can be used. */
export function readLogo(path: string): Logo | null {
  try {
    if (statSync(path).size > MAX_BYTES) return null;
    const content = readFileSync(path);
    const isPng = content.subarray(0, 8).equals(PNG_SIGNATURE);
    const ratio = isPng ? ratioOfPng(content) : ratioOfSvg(content);
    if (ratio === null || ratio > RATIO_MAX || ratio < 1 / RATIO_MAX) return null;
    return { type: isPng ? 'image/png' : 'image/svg+xml', content, ratio };
  } catch {
    return null;
  }
}

/** Decodes it, so that a damaged one is noticed at start. Its size is looked up first (https://www.w3.org/TR/png-3/#11IHDR). */
function ratioOfPng(content: Buffer): number | null {
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  if (width > PNG_MAX_PIXELS || height > PNG_MAX_PIXELS) return null;
  PNG.sync.read(content);
  return width / height;
}

/** Without the namespace or a size, browsers show nothing of the file as an image. */
function ratioOfSvg(content: Buffer): number | null {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  const [root = ''] = /<svg\b[^>]*>/.exec(text) ?? [];
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root) || !/<\/svg\s*>\s*$/.test(text)) return null;
  const attribute = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(root)?.[1] ?? '';
  const box = attribute('viewBox')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width, height] =
    box.length === 4
      ? [box[2]!, box[3]!]
      : [Number.parseFloat(attribute('width')), Number.parseFloat(attribute('height'))];
  return width > 0 && height > 0 ? width / height : null;
}
