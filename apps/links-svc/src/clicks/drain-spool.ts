import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { AnalyticsConnection } from './analytics-client.ts';
import { type ExistingLinks, startClickSender } from './click-sender.ts';
import { type ClickSpool, openClickSpool } from './click-spool.ts';
import { DATABASE_FILE } from './spool.store.ts';
import { LINKS_AT_A_TIME } from './totals-refresher.ts';

export type { AnalyticsConnection };

export interface DrainOptions {
  analytics: AnalyticsConnection;
  /** Returns those of these ids whose links exist. */
  existingLinks: ExistingLinks;
  /** Updates the click totals of at most 1,000 links. */
  refreshTotals(linkIds: string[]): Promise<void>;
  /** How long to send clicks. While analytics-svc refuses them, they are sent again. */
  timeoutMs: number;
  logger: Logger;
}

/** What happened to the clicks of a drained spool. */
export interface DrainResult {
  /** The clicks that analytics-svc has stored. */
  sent: number;
  /** The clicks that could not be sent in time. They stay in the spool. */
  remaining: number;
  /** The bytes of clicks that stay: those that remain, were refused as invalid or are in damaged files. */
  bytes: number;
  damagedFiles: number;
}

/** Returns whether the folder was the `SPOOL_DIR` of a links-svc. */
export function isSpool(directory: string): boolean {
  return existsSync(join(directory, DATABASE_FILE));
}

/**
 * Sends the clicks in a folder that a links-svc left behind, and updates the totals of their links. It owns the folder
 * meanwhile, and may be interrupted and run again: no click is lost or counted twice.
 * @throws if a process uses the folder, or if the totals cannot be updated.
 */
export async function drainSpool(directory: string, options: DrainOptions): Promise<DrainResult> {
  const { analytics, existingLinks, refreshTotals, timeoutMs, logger } = options;
  // Nothing is appended, so the limit does not matter.
  const spool = openClickSpool(directory, { maxBytes: 0, logger, registry: new Registry() });
  try {
    const sender = startClickSender({ spool, analytics, existingLinks, logger });
    await sender.close(timeoutMs);
    await refreshAllTotals(spool, refreshTotals);
    return {
      sent: (await spool.metrics.sent.get()).values[0]!.value,
      remaining: spool.depth(),
      bytes: spool.bytes(),
      damagedFiles: spool.damagedFiles(),
    };
  } finally {
    await spool.close();
  }
}

async function refreshAllTotals(spool: ClickSpool, refreshTotals: DrainOptions['refreshTotals']): Promise<void> {
  for (;;) {
    const links = spool.dirtyLinks(LINKS_AT_A_TIME);
    if (links.length === 0) return;
    await refreshTotals(links.map(({ linkId }) => linkId));
    spool.clearDirty(links);
  }
}
