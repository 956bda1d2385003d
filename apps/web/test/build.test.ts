import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

// The build, which `pnpm test` makes first.

const ASSETS = join(import.meta.dirname, '../dist/assets');
/** What a browser has after all views. */
const SCRIPTS_MAX_BYTES = 85_000;
/** What the first view needs before it can be used, the sign-in or the links: the entry and its styles. */
const FIRST_VIEW_MAX_BYTES = 60_000;

const compressedBytes = (names: string[]) =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length, 0);

test('all scripts together have at most 85 kB, compressed', () => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = compressedBytes(scripts);
  console.log(`scripts: ${(bytes / 1000).toFixed(1)} kB compressed`);
  expect(bytes).toBeLessThanOrEqual(SCRIPTS_MAX_BYTES);
});

test('the names of files are hashes alone, so that no rule of a content blocker is about a word in them', () => {
  for (const name of readdirSync(ASSETS)) expect(name).toMatch(/^[0-9a-f]{8}\.(js|css|svg)(\.br|\.gz)?$/);
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
