import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

// The build, which `pnpm test` makes first.

const ASSETS = join(import.meta.dirname, '../dist/assets');
/** What a browser has after all views. */
const SCRIPTS_MAX_BYTES = 85_000;
/** What the first view needs before it can be used, the sign-in or the links: the entry and its styles. */
const FIRST_VIEW_MAX_BYTES = 60_000;

/** The bytes that a client gets which accepts gzip. */
const compressedBytes = (names: string[]) =>
  names.reduce((sum, name) => sum + statSync(join(ASSETS, `${name}.gz`)).size, 0);

test('all scripts together have at most 85 kB, compressed', () => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = compressedBytes(scripts);
  console.log(`scripts: ${(bytes / 1000).toFixed(1)} kB compressed`);
  expect(bytes).toBeLessThanOrEqual(SCRIPTS_MAX_BYTES);
});

test('the names of files are hashes alone, so that no rule of a content blocker is about a word in them', () => {
  const files = readdirSync(ASSETS, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  for (const { name, parentPath } of files)
    expect(relative(ASSETS, join(parentPath, name))).toMatch(
      /^([0-9a-f]{8}|[0-9a-f]{8}\/[0-9a-f]{4})\.(js|css|svg)(\.br|\.gz)?$/,
    );
});

test('each flag is small, and all of them together have less than 200 kB', () => {
  const [folder] = readdirSync(ASSETS).filter((name) => /^[0-9a-f]{8}$/.test(name));
  const flags = readdirSync(join(ASSETS, folder!)).filter((name) => name.endsWith('.svg'));
  expect(flags.length).toBeGreaterThan(240);
  const sizes = flags.map((name) => readFileSync(join(ASSETS, folder!, name)).length);
  expect(Math.max(...sizes)).toBeLessThan(6_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(200_000);
});

test('the sign-in and the links load less than 60 kB of scripts and styles, compressed', () => {
  const page = readFileSync(join(ASSETS, '../index.html'), 'utf8');
  // A browser loads what is for another medium last. A script and its preload are one file.
  const needed = page.replaceAll(/<link [^>]*media=[^>]*>/g, '');
  const names = [...new Set([...needed.matchAll(/(?:src|href)="\/app\/assets\/([^"]+)"/g)].map(([, name]) => name!))];
  expect(names.some((name) => name.endsWith('.js'))).toBe(true);
  const bytes = compressedBytes(names);
  console.log(`first view: ${(bytes / 1000).toFixed(1)} kB compressed`);
  expect(bytes).toBeLessThan(FIRST_VIEW_MAX_BYTES);
});
