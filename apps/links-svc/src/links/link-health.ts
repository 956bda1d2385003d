import type { Health } from '@waymark/contract';
import type { StoredHealth } from '../database/documents/destination.ts';
import type { LinkDocument } from '../database/documents/link.ts';

/** Returns the health of a link as clients see it. */
export function shownHealth(health: StoredHealth | undefined): Health {
  if (health === undefined) return { state: 'unknown', status: null, since: null, checked_at: null };
  const { state, status, since, checked_at } = health;
  return { state, status, since: since.toISOString(), checked_at: checked_at.toISOString() };
}

/** Returns true if both say the same. */
export function isSameHealth(one: StoredHealth | undefined, other: StoredHealth | undefined): boolean {
  return JSON.stringify(shownHealth(one)) === JSON.stringify(shownHealth(other));
}

/** Returns the fields of a link that hold its health. */
export function healthFields(health: StoredHealth | undefined): Pick<LinkDocument, 'health' | 'broken'> {
  return { health, broken: health?.state === 'broken' ? true : undefined };
}
