import { Counter, type Registry } from 'prom-client';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import type { FindMany } from './batched-lookup.ts';

/** Returns the lookup with a counter of its slugs: those for which the cache had no fresh entry. */
export function countLookups(find: FindMany<RedirectDocument>, registry: Registry): FindMany<RedirectDocument> {
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
