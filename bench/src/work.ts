import type { SendRequest } from './load.ts';

/** A way to have something done: what is sent, and the processes whose CPU time it costs. */
export interface Side {
  send: SendRequest;
  /** Services or floors, without databases and without what sends the load; as they are when this is called. */
  pids(): number[];
}

/** A work as it is done at one door of the system. */
export interface DoorSide extends Side {
  /** Where it is done: `links-svc`, `gateway`, … */
  door: string;
  /** How many times the floor's figure it may cost; null where no limit is set. */
  limit: number | null;
}

/** Something that the system does, and the least that it could cost. */
export interface Work {
  name: string;
  /** What it is done on, where that is not in its name: `100,000 links`. */
  data?: string;
  /** What is compared: CPU time for each request, or the time until its answer. */
  measure: 'cpu' | 'time';
  doors: DoorSide[];
  floor: Side & { name: string };
  /** The database that does its part for the doors and the floor alike; none where it is not a process of this run. */
  databasePids(): number[];
  /**
   * Requests of a round, the same for every door and for the floor: code gets faster as it runs more often, so that
   * equal times would favour what is quick anyway.
   */
  requestsPerRound: number;
  /** Whether an answered request leaves something to be done (clicks to deliver): it is waited for, and counted. */
  leavesWork?: boolean;
  /** Fewer than usual where each request is long. */
  connectionsMax?: number;
}
