import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBrands } from './brands.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"></svg>';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brands-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Record<string, unknown>) {
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
}
const read = (rest: Parameters<typeof readBrands>[0] = {}) => readBrands({ ...rest, BRAND_DIR: folder });

test('a host with a file has its own brand, wholly, and all others have the operator’s', () => {
  write({ 'go.example.com.json': { name: 'Go', color: '#AA0000' }, 'go.example.com.svg': LOGO, 'logo.svg': LOGO });
  const brands = read({ BRAND_NAME: 'Operator', BRAND_TEXT: 'Text', BRAND_LINK: 'https://example.com' });
  expect(brands.of('go.example.com')).toEqual({
    name: 'Go',
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), ratio: 2 },
    color: '#aa0000',
    text: null,
    link: null,
  });
  const own = brands.of(null);
  expect(own).toEqual({
    name: 'Operator',
    logo: null,
    color: null,
    text: 'Text',
    link: { url: 'https://example.com/', text: 'example.com' },
  });
  expect(brands.of('other.example.com')).toBe(own);
});

test('a mounted ConfigMap, whose files are links into a hidden folder, can be read', () => {
  mkdirSync(join(folder, '..data'));
  writeFileSync(join(folder, '..data', 'go.example.com.json'), '{"name":"Go"}');
  symlinkSync(join('..data', 'go.example.com.json'), join(folder, 'go.example.com.json'));
  expect(read().of('go.example.com').name).toBe('Go');
});

test.each([
  [{ 'Go.example.com.json': {} }, /^BRAND_DIR has "Go\.example\.com\.json", whose name must be a host in lower case/],
  [{ 'go example.json': {} }, /whose name must be a host/],
  [{ 'go.json': '{' }, /^BRAND_DIR has "go\.json", which must be JSON: an object of at most 64 KiB\.$/],
  [{ 'go.json': '[]' }, /which must be JSON/],
  [{ 'go.json': 'null' }, /which must be JSON/],
  [{ 'go.json': `{${' '.repeat(65_536)}}` }, /which must be JSON/],
  [{ 'go.json': { title: 'Go' } }, /^BRAND_DIR has "go\.json" with "title"; use name, color, text, link, link_text\.$/],
  [{ 'go.json': '{"__proto__":"x"}' }, /with "__proto__"/],
  [{ 'go.json': { logo: '/etc/passwd' } }, /with "logo"/],
  [{ 'go.json': { name: 7 } }, /^BRAND_DIR has "go\.json", whose "name" must be text of at most 60 characters/],
  [{ 'go.json': { name: '' } }, /whose "name" must be/],
  [{ 'go.json': { name: 'x'.repeat(61) } }, /whose "name" must be/],
  [{ 'go.json': { color: 'red' } }, /whose "color" must be a color such as #1f5fbf\.$/],
  [{ 'go.json': { link: 'http://example.com' } }, /whose "link" must be an https URL/],
  [{ 'go.json': { link: 'javascript:alert(1)' } }, /whose "link" must be an https URL/],
  [{ 'go.json': { link_text: 'Help' } }, /with "link_text" and no "link"\.$/],
  [{ 'go.json': {}, 'go.svg': 'no' }, /^BRAND_DIR has "go\.svg", which must be the path of an SVG file/],
  [{ 'go.json': {}, 'go.svg': LOGO, 'go.png': LOGO }, /^BRAND_DIR has "go\.svg" and "go\.png"; remove one of them\.$/],
])('%j stops the process in one line', (files, line) => {
  write(files);
  expect(() => read()).toThrow(
    expect.objectContaining({ name: 'ConfigError', problems: [expect.stringMatching(line)] }),
  );
});
