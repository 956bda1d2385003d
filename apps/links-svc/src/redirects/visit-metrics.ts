import { Histogram, type Registry } from 'prom-client';

/** Counts a batch of visits that took this long. */
export type ObserveVisits = (durationMs: number) => void;

/** Rate and duration of the gateways' batches, in the registry. */
export function createVisitMetrics(registry: Registry): ObserveVisits {
  const batches = new Histogram({
    name: 'visit_batch_duration_seconds',
    help: 'Duration of answered batches of visits from gateways.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  return (durationMs) => batches.observe(durationMs / 1000);
}
