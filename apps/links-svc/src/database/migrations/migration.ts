import type { Collections } from '../collections.ts';

/** One step of the schema of MongoDB. It is safe to run again, and several replicas may run it at once. */
export interface Migration {
  /** Migrations run in the order of their numbers, each until it has succeeded once. */
  number: number;
  name: string;
  run(collections: Collections): Promise<void>;
}
