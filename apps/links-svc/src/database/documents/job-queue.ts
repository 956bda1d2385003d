import type { Lease } from './lease.ts';

/** The jobs of an account that are not over, and the lease on them. It exists while it has jobs. */
export interface JobQueueDocument extends Lease {
  /** The account. */
  _id: string;
  /** The ids of the jobs in their order. The first one runs. */
  jobs: string[];
  /** A random text, new with every write. A write does nothing if another one was first. */
  revision: string;
}
