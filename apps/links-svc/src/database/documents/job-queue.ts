/** A document that one replica at a time works on. Whatever its holder writes has a new revision. */
export interface Lease {
  _id: string;
  /** The replica that works on it, or null. */
  holder: string | null;
  /** A random text, new with every write. */
  revision: string;
}

/**
 * The jobs of an account that are not over, and the lease on them. Every change of a job writes it with a new revision,
 * and does nothing if another one was first. It exists while it has jobs.
 */
export interface JobQueueDocument extends Lease {
  /** The account. */
  _id: string;
  /** The ids of the jobs in their order. The first one runs. */
  jobs: string[];
}
