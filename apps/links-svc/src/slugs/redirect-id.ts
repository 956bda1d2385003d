import { slugKey } from '@waymark/contract';

/**
 * Returns the id of the redirect of a slug, in any case, on the short host of an account with this id. Null is the default
 * host. A host that moves to another account gets another id, so it takes no slugs along (ADR 56).
 */
export function redirectId(hostId: string | null, slug: string): string {
  return `${hostId ?? ''}/${slugKey(slug)}`;
}
