import { Counter, type Registry } from 'prom-client';
import type { KeyLookup } from './key-resolver.ts';

/** Wraps the lookup and counts its outcomes. Cached results never reach it, so it counts cache misses only. */
export function countKeyLookups(lookup: KeyLookup, registry: Registry): KeyLookup {
  const lookups = new Counter({
    name: 'api_key_lookups_total',
    help: 'API keys and sessions looked up at links-svc because no fresh result was cached, by outcome (found, unknown, failed).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['found', 'unknown', 'failed']) lookups.labels(outcome).inc(0);
  return async (credential, requestId) => {
    let outcome = 'failed';
    try {
      const owner = await lookup(credential, requestId);
      outcome = owner === null ? 'unknown' : 'found';
      return owner;
    } finally {
      lookups.labels(outcome).inc();
    }
  };
}
