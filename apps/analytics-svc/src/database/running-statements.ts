import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, StatementOptions } from './database.ts';
import { stringList } from './literals.ts';

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

/** Resolves when the inserts that run now, of any process, have ended. Does not wait for inserts that begin later. */
export async function waitForRunningInserts(database: Database, signal: AbortSignal): Promise<void> {
  const running = await database.query<{ query_id: string }>(
    "SELECT query_id FROM system.processes WHERE query_kind = 'Insert'",
    { signal },
  );
  if (running.length === 0) return;
  const ids = stringList(running.map(({ query_id }) => query_id));
  await waitForStatements(database, `query_id IN (${ids})`, { signal });
}
