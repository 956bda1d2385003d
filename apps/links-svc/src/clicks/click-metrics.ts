import { Counter, Gauge, type Registry } from 'prom-client';

/** The reasons why the click of a redirect is lost. */
export const DROP_REASONS = ['spool_full', 'write_failed'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** The Prometheus counters of the click spool and its sender. */
export interface ClickMetrics {
  appended: Counter;
  dropped: Counter<'reason'>;
  sent: Counter;
  rejected: Counter;
  ofDeletedLinks: Counter;
}

/** Registers the metrics of a spool. The gauges read the spool whenever metrics are collected. */
export function createClickMetrics(
  registry: Registry,
  spool: { depth(): number; bytes(): number; maxBytes: number; oldestAgeMs(): number; damagedFiles(): number },
): ClickMetrics {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('click_spool_depth', 'Clicks in the spool that analytics-svc does not have yet.', () => spool.depth());
  gauge('click_spool_bytes', 'Bytes of the clicks in the spool, including rejected ones and damaged files.', () =>
    spool.bytes(),
  );
  gauge('click_spool_max_bytes', 'The limit of click_spool_bytes (SPOOL_MAX_BYTES).', () => spool.maxBytes);
  gauge('click_spool_oldest_age_seconds', 'Age of the oldest click in the spool; 0 when it is empty.', () =>
    Math.max(0, spool.oldestAgeMs() / 1_000),
  );
  gauge('click_spool_damaged_files', 'Damaged files of the spool that are kept for inspection.', () =>
    spool.damagedFiles(),
  );
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  const dropped = new Counter({
    name: 'clicks_dropped_total',
    help: 'Clicks that were lost because the spool could not store them, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of DROP_REASONS) dropped.labels(reason).inc(0);
  return {
    appended: counter('clicks_appended_total', 'Clicks written to the spool.'),
    dropped,
    sent: counter('clicks_sent_total', 'Clicks that analytics-svc has acknowledged.'),
    ofDeletedLinks: counter(
      'clicks_of_deleted_links_total',
      'Clicks that were not sent, because their link was deleted.',
    ),
    rejected: counter('clicks_rejected_total', 'Clicks that analytics-svc refused as invalid; kept in the spool.'),
  };
}
