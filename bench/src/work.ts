import type { SendRequest } from './load.ts';

/** One implementation of a workload: how to send a request, and the processes whose CPU time it uses. */
export interface Side {
  send: SendRequest;
  /**
   * Returns the current processes of services or floors, without databases and without the process that sends the load.
   */
  pids(): number[];
  /** Returns the database process of this side, if it is another one than that of the work. */
  databasePids?(): number[];
  /** Whether a completed request leaves work to do (clicks to deliver), which is waited for and counted. */
  leavesWork?: boolean;
}

/** A workload at one entry point of the system. */
export interface EndpointSide extends Side {
  /** The entry point: `links-svc`, `gateway`, … */
  endpoint: string;
  /** The maximum ratio to the floor's figure; null if there is no limit. */
  limit: number | null;
}

/** Something that the system does, and the least that it could cost. */
export interface Work {
  name: string;
  /** The data it works on, if the name does not say it: `100,000 links`. */
  data?: string;
  /** The compared figure: CPU time per request, or response time. */
  measure: 'cpu' | 'time';
  endpoints: EndpointSide[];
  floor: Side & { name: string };
  /**
   * Returns the database process that serves both the entry points and the floor; empty if it is not a process of this
   * run.
   */
  databasePids(): number[];
  /**
   * Requests per round, the same for every entry point and the floor. Code gets faster the more often it runs, so
   * rounds of equal duration would favour the faster side.
   */
  requestsPerRound: number;
  /** Fewer connections than usual, for long requests. */
  connectionsMax?: number;
}
