import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, StatementOptions } from './database.ts';

const POLL_MS = 100;

/** Resolves when no running statement meets a condition on `system.processes`. */
export async function waitForStatements(
  database: Database,
  condition: string,
  options: Pick<StatementOptions, 'parameters'> & { signal: AbortSignal },
): Promise<void> {
  while ((await database.query(`SELECT 1 FROM system.processes WHERE ${condition} LIMIT 1`, options)).length > 0)
    await sleep(POLL_MS, undefined, { signal: options.signal });
}
