import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import type { Database } from './database.ts';
import { localName } from './tables.ts';
import type { Topology } from './topology.ts';

/** The blocks of clicks that are stored. */
export interface StoredBlocks {
  /** The UUID of the table. A restored one has another, and other numbers of blocks. */
  tableId: string;
  /** The number of the last block. No block up to it is still to come. 0 if there is none. */
  last: number;
}

/**
 * Returns the blocks of clicks as of now. One server numbers a block under the lock that makes it visible, so every click
 * that is stored later has a higher number.
 */
export async function findStoredBlocks(
  database: Database,
  topology: Topology,
  signal: AbortSignal,
): Promise<StoredBlocks> {
  const [row] = await database.query<{ id: string; last: number }>(
    `SELECT toString(uuid) AS id, (
       SELECT max(max_block_number) FROM system.parts
       WHERE database = {database:String} AND table = {table:String} AND active
     ) AS last FROM system.tables WHERE database = {database:String} AND name = {table:String}`,
    { parameters: { database: database.name, table: localName('clicks', topology) }, signal },
  );
  if (row === undefined)
    throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('the table clicks is missing') });
  return { tableId: row.id, last: row.last };
}
