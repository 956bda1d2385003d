import { AppError } from '@waymark/contract';
import type { Database } from './database.ts';
import { stringLiteral } from './literals.ts';
import { localName } from './tables.ts';
import type { Topology } from './topology.ts';

/** A replica copies the common log into its queue up to `log_pointer`. An empty log has 0 for both. */
const LAGS = `max(is_session_expired) OR (min(log_pointer) <= max(log_max_index) AND max(log_pointer) > 0)`;

/**
 * Returns true if every replica has every batch of clicks that any of them has acknowledged before the call, and false
 * if one lags or cannot be asked.
 */
export async function haveAllReplicasCaughtUp(
  database: Database,
  topology: Topology,
  signal: AbortSignal,
): Promise<boolean> {
  if (topology.kind === 'single') return true;
  const replicas = `clusterAllReplicas(${stringLiteral(database.name)}, system.replicas)`;
  const ofClicks = 'database = {database:String} AND table = {table:String}';
  const parameters = { database: database.name, table: localName('clicks', topology) };
  const exists = async (statement: string) =>
    (await database.query(`${statement} LIMIT 1`, { parameters, settings: { max_execution_time: 2 }, signal })).length >
    0;
  try {
    // The replica that acknowledged a batch knows its place in the log, though others may not know it yet.
    if (await exists(`SELECT 1 FROM ${replicas} WHERE ${ofClicks} GROUP BY zookeeper_path HAVING ${LAGS}`))
      return false;
    // Only now are all of these entries in the queues: a queue that was empty earlier says nothing.
    return !(await exists(`SELECT 1 FROM ${replicas} WHERE ${ofClicks} AND inserts_in_queue > 0`));
  } catch (error) {
    // A replica that is down may lag when it is back. Totals are shown meanwhile.
    if (error instanceof AppError && error.code === 'unavailable') return false;
    throw error;
  }
}
