import { setTimeout as sleep } from 'node:timers/promises';
import { startPeriodicTask } from '@waymark/service-kit';
import type { Lease } from '../database/documents/lease.ts';
import { LeasedWork } from './leased-work.ts';
import type { LeasesStore } from './leases.store.ts';

/** Work of the whole service that is done again and again, by one replica at a time. */
export interface LeasedTask {
  /** The name of its lease. */
  name: string;
  /** The pause after each run. */
  everyMs: number;
  /**
   * Does one run. It ends soon after `ending` aborts. A replica that stood still may do its current step while another
   * one works, so a step may be done twice.
   */
  run(ending: AbortSignal): Promise<void>;
}

export interface LeasedTasksOptions {
  leases: Pick<LeasesStore, 'list' | 'take' | 'renew' | 'release'>;
  tasks: readonly LeasedTask[];
  /** Receives the error of a task, which is tried again, or of the leases themselves. */
  onError(error: unknown, task?: string): void;
  /** Returns a time that only grows, in milliseconds. */
  stopwatch?: (() => number) | undefined;
}

/** A fifth of the time after which a lease is taken over. */
const RENEW_EVERY_MS = 2_000;

/** The tasks that the replicas share. Whoever has the lease of a task keeps it until it shuts down or the task fails. */
export class LeasedTasks {
  readonly #options: LeasedTasksOptions;
  readonly #work: LeasedWork;
  /** The tasks whose leases this replica has, with what ends those that are lost. */
  readonly #held = new Map<string, AbortController>();

  constructor(options: LeasedTasksOptions) {
    const { leases, tasks, onError, stopwatch } = options;
    this.#options = options;
    this.#work = new LeasedWork({
      list: () => leases.list(tasks.map(({ name }) => name)),
      work: (lease, ending) => this.#runTask(lease, ending),
      onError,
      stopwatch,
      // Each of them has its pauses, and none may wait for another one.
      concurrency: tasks.length,
    });
  }

  /** Starts to share the tasks. `close` ends those that run here, and gives their leases back. */
  start(): { close(): Promise<void> } {
    const renewal = startPeriodicTask({
      everyMs: RENEW_EVERY_MS,
      work: () => this.#renew(),
      onError: (error) => this.#options.onError(error),
    });
    this.#work.start();
    return {
      close: async () => {
        await this.#work.close();
        await renewal.close();
      },
    };
  }

  /** Renews all leases with one statement, and ends the tasks that another replica has taken over. */
  async #renew(): Promise<void> {
    const held = [...this.#held];
    if (held.length === 0) return;
    const names = held.map(([name]) => name);
    const kept = new Set(await this.#options.leases.renew(names, this.#work.holder));
    for (const [name, lost] of held) if (!kept.has(name)) lost.abort();
  }

  async #runTask(lease: Lease, ending: AbortSignal): Promise<void> {
    const { leases, tasks, onError } = this.#options;
    const { holder } = this.#work;
    const { name, everyMs, run } = tasks.find((task) => task.name === lease._id)!;
    if (!(await leases.take(lease, holder))) return;
    const lost = new AbortController();
    this.#held.set(name, lost);
    const end = AbortSignal.any([ending, lost.signal]);
    let failed = false;
    while (!end.aborted && !failed) {
      try {
        await run(end);
      } catch (error) {
        // What it throws because it has to end is no failure.
        failed = !end.aborted;
        if (failed) onError(error, name);
      }
      await sleep(everyMs, undefined, { signal: end }).catch(() => {});
    }
    this.#held.delete(name);
    // After a failure another replica may be luckier.
    await leases.release(name, holder);
  }
}
