import { slugKey } from '@waymark/contract';

/** Returns the id of the redirect of a slug, in any case, on a short host. Null is the default host. */
export function redirectId(host: string | null, slug: string): string {
  return `${host ?? ''}/${slugKey(slug)}`;
}
