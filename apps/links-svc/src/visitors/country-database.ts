import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { isCountry } from '@waymark/contract';
import { ConfigError, type Format, type Logger } from '@waymark/service-kit';
import { Reader, type Response } from 'mmdb-lib';

/** The embedded database: of public domain, with networks of IPv4 and IPv6. */
const DEFAULT_FILE = createRequire(import.meta.url).resolve(
  '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
);

/** Where databases of networks have the country: MaxMind's and DB-IP's in `country.iso_code`. */
type Network = Response & { country_code?: unknown; country?: { iso_code?: unknown } | string };

/** Looked up when a file is loaded, so that a damaged one is noticed then. */
const SAMPLES = ['1.1.1.1', '8.8.8.8', '193.0.0.1', '2001:4860:4860::8888', '2a00:1450::1'];
const SEPARATOR_BYTES = 16;

/** What GEOIP_DATABASE must be. */
export const countryDatabase: Format = {
  words: 'the path of a readable file in MMDB format',
  test(path) {
    try {
      openReader(readFileSync(path));
      return true;
    } catch {
      return false;
    }
  },
};

/**
 * The countries of addresses, from a file in MMDB format (https://maxmind.github.io/MaxMind-DB/) that is held in
 * memory.
 */
export class CountryDatabase {
  readonly #path: string;
  readonly #logger: Logger;
  #reader: Reader<Network>;
  /** Identifies the version of the file that was last read, whether it could be used or not. */
  #version: string;
  #hasFailed = false;

  /**
   * Reads the file, or the embedded one.
   * @throws {ConfigError} if it cannot be read, or is not in MMDB format.
   */
  constructor(path: string | undefined, logger: Logger) {
    this.#path = path ?? DEFAULT_FILE;
    this.#logger = logger;
    try {
      this.#version = versionOf(statSync(this.#path));
      this.#reader = openReader(readFileSync(this.#path));
    } catch {
      throw new ConfigError([`GEOIP_DATABASE must be ${countryDatabase.words}.`]);
    }
  }

  /** Returns the country of an address: ISO 3166-1 alpha-2 in upper case, or an empty text if it is unknown. */
  countryOf(address: string): string {
    try {
      return countryIn(this.#reader, address);
    } catch (err) {
      // A redirect never fails because of a damaged file. The error does not contain the address.
      if (!this.#hasFailed) this.#logger.error({ err }, 'the database of GEOIP_DATABASE is damaged; replace it');
      this.#hasFailed = true;
      return '';
    }
  }

  /** Reads the file again if it has changed. If the new file cannot be used, keeps the old one and throws once. */
  async refresh(): Promise<void> {
    const version = await stat(this.#path).then(versionOf, () => 'missing');
    if (version === this.#version) return;
    this.#version = version;
    this.#reader = openReader(await readFile(this.#path));
    this.#hasFailed = false;
    const { databaseType, buildEpoch } = this.#reader.metadata;
    this.#logger.info({ type: databaseType, built_at: buildEpoch }, 'read the new database of GEOIP_DATABASE');
  }
}

function versionOf({ ino, size, mtimeMs }: { ino: number; size: number; mtimeMs: number }): string {
  return `${ino} ${size} ${mtimeMs}`;
}

/** Opens a file. Throws if it is visibly damaged; not all of it is read. */
function openReader(file: Buffer): Reader<Network> {
  const reader = new Reader<Network>(file);
  if (reader.metadata.searchTreeSize + SEPARATOR_BYTES >= file.length) throw new RangeError('the file is truncated');
  for (const address of SAMPLES) countryIn(reader, address);
  return reader;
}

function countryIn(reader: Reader<Network>, address: string): string {
  const version = isIP(address);
  // A tree of IPv4 networks would take an IPv6 address for another one.
  if (version === 0 || version > reader.metadata.ipVersion) return '';
  const network = reader.get(address);
  const { country_code: code, country } = network ?? {};
  const found = code ?? (typeof country === 'object' ? country.iso_code : country);
  // Some databases have codes that are no country, such as EU.
  return typeof found === 'string' && isCountry(found) ? found : '';
}
