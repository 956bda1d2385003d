import type { AccountIdentity } from '@waymark/auth';

/** The account and scope that see the clicks. Each scope of an account has its own excluded links. */
export interface Viewer {
  accountId: string;
  scope: AccountIdentity['scope'];
}

/**
 * A set of links whose clicks `clicks_by_day` has summed under one number. Sets and links are both identified by
 * numbers, as decimal digits.
 */
export interface HiddenSet {
  number: string;
  links: ReadonlySet<string>;
}

/** A list of links as a set, or none, plus the links to add to it and to remove from it. */
export interface Hidden {
  set: HiddenSet | null;
  added: readonly string[];
  removed: readonly string[];
}

/** Up to this many links are cheap enough to read one by one (ADR 25). */
export const READ_ONE_BY_ONE_MAX = 100;

/** Returns the links as changes to the nearest set, or to no set if that takes no more changes. */
export function nearest(sets: readonly HiddenSet[], links: ReadonlySet<string>): Hidden {
  let best: Hidden = { set: null, added: [...links], removed: [] };
  for (const set of sets) {
    const hidden = { set, added: without(links, set.links), removed: without(set.links, links) };
    if (changesOf(hidden) < changesOf(best)) best = hidden;
  }
  return best;
}

/** Returns how many links must be read one by one. */
export function changesOf({ added, removed }: Hidden): number {
  return added.length + removed.length;
}

function without(links: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...links].filter((link) => !others.has(link));
}
