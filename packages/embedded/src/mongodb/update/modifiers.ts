import { Int32 } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { notSupported } from '../errors.ts';

/** Returns the new value of a field from its current one (undefined if missing); undefined removes the field. */
export type Modifier = (current: unknown) => unknown;

function currentDate(operand: unknown): Modifier {
  if (operand !== true) throw notSupported('$currentDate with anything but true');
  return () => new Date();
}

/** Adds to a whole number of 32 bits, or to nothing, which is 0. */
function increment(operand: unknown): Modifier {
  return (current) => {
    if (!(operand instanceof Int32) || !(current === undefined || current instanceof Int32))
      throw notSupported('$inc of or by anything but a whole number of 32 bits');
    const sum = (current?.value ?? 0) + operand.value;
    if (sum !== (sum | 0)) throw notSupported('$inc beyond 32 bits');
    return new Int32(sum);
  };
}

/** The supported update operators, except `$setOnInsert`. Other operators are refused with code 9. */
export const MODIFIERS: Record<string, (operand: unknown) => Modifier> = {
  $set: (operand) => () => operand,
  $unset: () => () => undefined,
  $max: (operand) => (current) => (current === undefined || compareValues(operand, current) > 0 ? operand : current),
  $inc: increment,
  $currentDate: currentDate,
};
