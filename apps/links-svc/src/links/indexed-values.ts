import type { Visibility } from '@waymark/contract';

/** Returns visibility and `archived` as one value, so that an index counts the links of any combination. */
export function stateOf(visibility: Visibility, archived: boolean): string {
  return archived ? `archived ${visibility}` : visibility;
}

/** Returns how many links of an account have one of these states. */
export function countOf(counts: Readonly<Record<string, number>>, states: readonly string[]): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/**
 * Returns a host with its labels reversed, such as `com.example.shop..`, so that the hosts below a domain are one range
 * of keys: see {@link hostKeyRange}.
 */
export function hostKey(host: string): string {
  return `${reversed(host)}..`;
}

/** The bounds of host keys, both excluded. Keys are ASCII. */
export interface HostKeyRange {
  $gt: string;
  $lt: string;
}

/** Returns the bounds of the keys of a domain and of all hosts below it, both excluded. */
export function hostKeyRange(domain: string): HostKeyRange {
  // "/" is the character after ".".
  return { $gt: `${reversed(domain)}.`, $lt: `${reversed(domain)}/` };
}

function reversed(host: string): string {
  return host.replace(/\.$/, '').split('.').reverse().join('.');
}
