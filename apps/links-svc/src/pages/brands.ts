import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BRAND_FORMATS,
  type Brand,
  type BrandConfig,
  type BrandValues,
  brandOf,
  ConfigError,
  createBrand,
} from '@waymark/service-kit';
import { hostOf } from '../hosts/host-name.ts';

/** The brand of each short host that has its own in BRAND_DIR, and the operator's for all others. */
export interface Brands {
  /** The brand of a short host, or of the default host (null). */
  of(host: string | null): Brand;
}

const FILE_END = '.json';
const FILE_MAX_BYTES = 64 * 1_024;
/** More are a mistake: each one is held in memory. */
const HOSTS_MAX = 1_000;

/**
 * Reads the brands.
 * @throws {ConfigError} names the file of BRAND_DIR that cannot be used, and its value.
 */
export function readBrands(config: BrandConfig & { BRAND_DIR?: string }): Brands {
  const own = brandOf(config);
  const ofHosts = config.BRAND_DIR === undefined ? null : readFolder(config.BRAND_DIR);
  return { of: (host) => (host === null ? own : (ofHosts?.get(host) ?? own)) };
}

function readFolder(folder: string): Map<string, Brand> {
  const names = readdirSync(folder);
  // A mounted ConfigMap has further entries, whose names begin with a dot.
  const files = names.filter((name) => name.endsWith(FILE_END) && !name.startsWith('.'));
  if (files.length > HOSTS_MAX) throw problem(`must have at most ${HOSTS_MAX} files whose names end with .json`);
  return new Map(
    files.map((file) => {
      const host = file.slice(0, -FILE_END.length);
      if (hostOf(host) !== host) throw problem(`has "${file}", whose name must be a host in lower case and .json`);
      const logos = ['svg', 'png'].map((end) => `${host}.${end}`).filter((name) => names.includes(name));
      if (logos.length > 1) throw problem(`has "${logos[0]}" and "${logos[1]}"; remove one of them`);
      const values = valuesOf(file, join(folder, file));
      if (logos[0] === undefined) return [host, createBrand(values)];
      const logo = join(folder, logos[0]);
      if (!BRAND_FORMATS.logo.test(logo)) throw problem(`has "${logos[0]}", which must be ${BRAND_FORMATS.logo.words}`);
      return [host, createBrand({ ...values, logo })];
    }),
  );
}

function valuesOf(file: string, path: string): BrandValues {
  const { logo: _, ...formats } = BRAND_FORMATS;
  const names = Object.keys(formats);
  const values = parse(path);
  if (values === null) throw problem(`has "${file}", which must be JSON: an object of at most 64 KiB`);
  for (const [name, value] of Object.entries(values)) {
    const format = Object.hasOwn(formats, name) ? formats[name as keyof typeof formats] : undefined;
    if (format === undefined) throw problem(`has "${file}" with ${JSON.stringify(name)}; use ${names.join(', ')}`);
    if (typeof value !== 'string' || value.trim() === '' || !format.test(value))
      throw problem(`has "${file}", whose "${name}" must be ${format.words}`);
  }
  if ('link_text' in values && !('link' in values)) throw problem(`has "${file}" with "link_text" and no "link"`);
  return values;
}

function parse(path: string): Record<string, unknown> | null {
  try {
    const value: unknown = statSync(path).size > FILE_MAX_BYTES ? null : JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function problem(what: string): ConfigError {
  return new ConfigError([`BRAND_DIR ${what}.`]);
}
