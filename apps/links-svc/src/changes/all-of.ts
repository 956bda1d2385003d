import { AppError } from '@waymark/contract';
import type { Change, ChangeReads } from './change.ts';
import { decideEach } from './decide-each.ts';

/**
 * Returns changes of one account as one change, so that all are part of the same transaction. An error stands for a change
 * that could not be prepared. One that fails stops no other. `combine` makes one result of what became of them.
 */
export function allOf<Result, Combined>(
  accountId: string,
  changes: readonly (Change<Result> | AppError)[],
  combine: (outcomes: (Result | AppError)[]) => Combined,
): Change<Combined> {
  const prepared = changes.filter((one): one is Change<Result> => !(one instanceof AppError));
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    accountId,
    size: Math.max(1, sum(prepared.map(({ size }) => size))),
    bytes: sum(prepared.map(({ bytes }) => bytes)),
    reads: () => allReads(prepared.map((one) => one.reads())),
    decide: (draft) =>
      combine(
        decideEach(draft.documents.undo, changes, (change) =>
          change instanceof AppError ? change : change.decide(draft),
        ),
      ),
  };
}

/** Returns the links and redirects that several changes look at. */
export function allReads(reads: readonly ChangeReads[]): ChangeReads {
  return {
    links: reads.flatMap(({ links = [] }) => links),
    redirects: reads.flatMap(({ redirects = [] }) => redirects),
    linksOfRedirects: reads.some(({ linksOfRedirects }) => linksOfRedirects),
  };
}
