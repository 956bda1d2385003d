import { BUCKETS_SECONDS } from '@waymark/service-kit';
import { Histogram, type Registry } from 'prom-client';

/** Counts a batch of visits that took this long. */
export type ObserveVisits = (durationMs: number) => void;

/** Rate and duration of the gateways' batches, in the registry. */
export function createVisitMetrics(registry: Registry): ObserveVisits {
  const batches = new Histogram({
    name: 'visit_batch_duration_seconds',
    help: 'Duration of answered batches of visits from gateways.',
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return (durationMs) => batches.observe(durationMs / 1000);
}
