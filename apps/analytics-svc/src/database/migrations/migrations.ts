import type { Topology } from '../topology.ts';
import { baseline } from './0001-baseline.ts';

/** Returns the statements of a migration. Each must be safe to run again, also concurrently. */
export type Migration = (topology: Topology) => string[];

/**
 * The migrations in the order in which they run, by the names of their files. One that was released never changes.
 *
 * Processes of the version before run while and after a migration does. So a migration only adds: what the version
 * before reads and writes must stay.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-baseline': baseline,
};
