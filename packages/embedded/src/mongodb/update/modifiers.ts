import { compareValues } from '../bson/compare.ts';
import { notSupported } from '../errors.ts';

/** Returns the new value of a field from its current one (undefined if missing); undefined removes the field. */
export type Modifier = (current: unknown) => unknown;

function currentDate(operand: unknown): Modifier {
  if (operand !== true) throw notSupported('$currentDate with anything but true');
  return () => new Date();
}

/** The supported update operators, except `$setOnInsert`. Other operators are refused with code 9. */
export const MODIFIERS: Record<string, (operand: unknown) => Modifier> = {
  $set: (operand) => () => operand,
  $unset: () => () => undefined,
  $max: (operand) => (current) => (current === undefined || compareValues(operand, current) > 0 ? operand : current),
  $currentDate: currentDate,
};
