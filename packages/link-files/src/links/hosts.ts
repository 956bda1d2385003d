import { hostOfUrl } from '@waymark/contract';
import { type Cells, RowError } from '../rows/row.ts';
import { isNo, shown, textOf } from './values.ts';

/** What the names of hosts in a file mean for the account that imports it. */
export interface FileHosts {
  /** The host of rows that name none. Null is the default host. */
  unnamed: string | null;
  /**
   * Returns the host that a name means: in lower case, international names in Punycode, without port and final dot.
   * Null is the default host. Returns undefined if it is neither that nor a host of the account.
   * @throws {RowError} if no link can be on it.
   */
  find(name: string): string | null | undefined;
}

/** Knows the default host only. */
export const NO_HOSTS: FileHosts = { unnamed: null, find: () => undefined };

/**
 * Returns the host of a link from the names that its row has, those to look at first being first. The first one that is of
 * the account or the service counts. If there are only others, it is the default host.
 * @throws {RowError}
 */
export function hostOfNames(names: readonly string[], hosts: FileHosts): string | null {
  if (names.length === 0) return hosts.unnamed;
  for (const name of names) {
    const host = hosts.find(name);
    if (host !== undefined) return host;
  }
  return null;
}

/**
 * Returns the host of a link in an export of Waymark, which its column `host` names.
 * @throws {RowError} also if it is no host of the account.
 */
export function exactHost([name]: readonly string[], hosts: FileHosts): string | null {
  if (name === undefined) return hosts.unnamed;
  const host = hosts.find(name);
  if (host === undefined)
    throw new RowError(
      `The host ${shown(name)} is no host of this account; add and verify it, or empty it to use the default host.`,
    );
  return host;
}

/**
 * Returns the hosts that these columns name, as names or as URLs.
 * @throws {RowError} if one of them is no text.
 */
export function hostsOfColumns(cells: Cells, columns: readonly string[]): string[] {
  return columns
    .map((column) => ({ column, value: nameOf(cells.get(column)) }))
    .filter(({ value }) => !isNo(value))
    .map(({ column, value }) => {
      const text = textOf(value, column).trim();
      const url = urlOf(text);
      return url === null ? text : hostOfUrl(url);
    });
}

const NAMES_OF_DOMAINS: ReadonlySet<string> = new Set(['fullName', 'hostname', 'name']);

/** Rebrandly gives domains as objects. */
function nameOf(domain: unknown): unknown {
  if (typeof domain !== 'object' || domain === null) return domain;
  const names = Object.entries(domain).filter(([key]) => NAMES_OF_DOMAINS.has(key));
  return names.find(([, name]) => typeof name === 'string')?.[1] ?? domain;
}

/** Returns the URL that a text means, maybe without its scheme, or null. */
export function urlOf(text: string): URL | null {
  return URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`);
}
