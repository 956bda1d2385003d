/**
 * Runs one task for each key at a time. Calls that come while it runs share the next run, so the result of each call was
 * read after the call.
 */
export class SharedRuns<Result> {
  readonly #running = new Map<string, Promise<Result>>();
  readonly #next = new Map<string, Promise<Result>>();

  /**
   * Runs the task, or joins the run of the same key that has not begun yet.
   * @throws The error of the run, or of the run before it: in an outage, nobody waits for two of them.
   */
  run(key: string, task: () => Promise<Result>): Promise<Result> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, task);
    const next = running.then(
      () => {
        this.#next.delete(key);
        return this.#start(key, task);
      },
      (error: unknown) => {
        this.#next.delete(key);
        throw error;
      },
    );
    this.#next.set(key, next);
    return next;
  }

  #start(key: string, task: () => Promise<Result>): Promise<Result> {
    const run = task();
    this.#running.set(key, run);
    const end = () => {
      this.#running.delete(key);
    };
    run.then(end, end);
    return run;
  }
}
