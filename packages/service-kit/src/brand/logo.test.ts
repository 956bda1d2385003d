import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLogo } from './logo.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logo-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: string | Buffer) {
  const path = join(folder, 'logo');
  writeFileSync(path, content);
  return readLogo(path);
}
const svg = (attributes: string, end = '</svg>\n') => `<svg ${attributes}><path d="M0 0h1"/>${end}`;
const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const png = (width: number, height: number) => PNG.sync.write(new PNG({ width, height }));

test('an SVG has the ratio of its viewBox, or of its width and height', () => {
  expect(read(svg(`${XMLNS} viewBox="0 0 30 10"`))).toMatchObject({ type: 'image/svg+xml', ratio: 3 });
  expect(read(`<?xml version="1.0"?>\n<!-- A logo -->\n${svg(`\n${XMLNS}\nviewBox='0,0,30,10'`)}`)?.ratio).toBe(3);
  expect(read(svg(`${XMLNS} width="20px" height="40px"`))?.ratio).toBe(0.5);
});

test('a PNG has the ratio of its pixels', () => {
  expect(read(png(20, 10))).toMatchObject({ type: 'image/png', ratio: 2 });
  expect(read(png(1_024, 1_024))?.ratio).toBe(1);
});

test.each([
  ['nothing', ''],
  ['text', 'a logo'],
  ['HTML', '<!doctype html><svg></svg>'],
  ['an SVG without its namespace', svg('viewBox="0 0 30 10"')],
  ['an SVG without a size', svg(XMLNS)],
  ['an SVG without width', svg(`${XMLNS} width="0" height="40"`)],
  ['an SVG that is cut', svg(`${XMLNS} viewBox="0 0 30 10"`, '')],
  ['an SVG that is not UTF-8', Buffer.concat([Buffer.from(svg(`${XMLNS} viewBox="0 0 30 10"`)), Buffer.from([0xff])])],
  ['a line', svg(`${XMLNS} viewBox="0 0 3000 10"`)],
  ['a file of more than 64 KiB', svg(`${XMLNS} viewBox="0 0 30 10"`, `${' '.repeat(65_536)}</svg>`)],
  ['a PNG of too many pixels', png(1_025, 10)],
  ['a PNG that is cut', png(20, 10).subarray(0, 60)],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
])('%s is no logo', (_what, content) => {
  expect(read(content)).toBeNull();
});

test('what is no file is no logo', () => {
  for (const path of [folder, join(folder, 'nowhere')]) expect(readLogo(path)).toBeNull();
});
