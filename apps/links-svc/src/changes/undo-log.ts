/** What a transaction did to its drafts, in memory, so that a change that fails leaves nothing behind. */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** Records how to undo what is done next. */
  record(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Runs work and returns its result. If it throws, everything that was recorded meanwhile is undone. */
  attempt<Result>(work: () => Result): Result {
    const before = this.#steps.length;
    try {
      return work();
    } catch (error) {
      this.#undoTo(before);
      throw error;
    }
  }

  /** Runs work, undoes everything that was recorded meanwhile, and returns its result. */
  tryOut<Result>(work: () => Result): Result {
    const before = this.#steps.length;
    try {
      return work();
    } finally {
      this.#undoTo(before);
    }
  }

  #undoTo(before: number): void {
    while (this.#steps.length > before) this.#steps.pop()!();
  }
}
