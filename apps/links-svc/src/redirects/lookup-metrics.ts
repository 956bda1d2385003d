import { Counter, type Registry } from 'prom-client';
import type { FindMany } from './batched-lookup.ts';
import type { StoredRedirect } from './link-cache.ts';

/** Returns the lookup with a counter of its slugs: those for which the cache had no fresh entry. */
export function countLookups(find: FindMany<StoredRedirect>, registry: Registry): FindMany<StoredRedirect> {
  const lookups = new Counter({
    name: 'link_cache_misses_total',
    help: 'Slugs looked up in MongoDB because the redirect cache had no fresh entry.',
    registers: [registry],
  });
  return (slugKeys) => {
    lookups.inc(slugKeys.length);
    return find(slugKeys);
  };
}
