import { AppError } from '@waymark/contract';
import { RepeatChange } from './change.ts';
import type { UndoLog } from './undo-log.ts';

/**
 * Returns what `decide` returns for each item, in order, or its error. What a failed decision wrote to the drafts is undone.
 * If some must look at other documents, all others are decided too, so that one repetition is enough for all of them.
 * @throws {RepeatChange} if one did.
 */
export function decideEach<Item, Result>(
  undo: UndoLog,
  items: readonly Item[],
  decide: (item: Item) => Result,
): (Result | AppError)[] {
  let repeat: RepeatChange | undefined;
  const outcomes = items.map((item) => {
    try {
      return undo.attempt(() => decide(item));
    } catch (error) {
      if (error instanceof AppError) return error;
      if (!(error instanceof RepeatChange)) throw error;
      repeat = error;
      return undefined as never;
    }
  });
  if (repeat !== undefined) throw repeat;
  return outcomes;
}
