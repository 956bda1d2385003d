import type { Topology } from '../topology.ts';

/** One step of the schema of ClickHouse. */
export interface Migration {
  /** Migrations run in the order of their numbers, each until it has succeeded once. */
  number: number;
  name: string;
  /** Returns the statements. Each must be safe to run again, also concurrently. */
  statements(topology: Topology): string[];
}
