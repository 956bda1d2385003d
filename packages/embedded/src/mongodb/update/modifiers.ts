import { compareValues } from '../bson/compare.ts';
import { isDocument, isNumeric, render, typeName } from '../bson/values.ts';
import { badValue, type CommandError, failedToParse, notSupported, typeMismatch } from '../errors.ts';
import { add } from '../numbers.ts';
import { compileFilter } from '../query/filter.ts';

/** Returns the new value of a field from its current one (undefined if missing); undefined removes the field. */
export type Modifier = (current: unknown, id: unknown) => unknown;

/** Throws for operators inside the operand of `$push` or `$pull`. */
function refuseOperators(name: string, operand: unknown): void {
  const operator = isDocument(operand) && Object.keys(operand).find((key) => key.startsWith('$'));
  if (operator) throw notSupported(`${operator} in ${name}`);
}

function arrayIn(name: string, current: unknown): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  throw badValue(`Cannot apply ${name} to a value of type ${typeName(current)}: it must be an array`);
}

function increment(operand: unknown, field: string): Modifier {
  if (!isNumeric(operand))
    throw typeMismatch(`Cannot increment with non-numeric argument: {${field}: ${render(operand)}}`);
  return (current, id) => {
    if (current === undefined) return operand;
    if (!isNumeric(current))
      throw typeMismatch(
        `Cannot apply $inc to a value of non-numeric type. {_id: ${render(id)}} has the field '${field}' of non-numeric type ${typeName(current)}`,
      );
    const sum = add(current, operand);
    if (sum === undefined)
      throw badValue(
        `Failed to apply $inc operations to current value (${render(current)}) for document {_id: ${render(id)}}`,
      );
    return sum;
  };
}

function push(operand: unknown): Modifier {
  refuseOperators('$push', operand);
  return (current) => [...arrayIn('$push', current), operand];
}

function pull(operand: unknown): Modifier {
  if (!isDocument(operand)) throw notSupported(`$pull of a value of type ${typeName(operand)}`);
  refuseOperators('$pull', operand);
  const filter = compileFilter(operand);
  return (current) => {
    if (current === undefined) return undefined;
    return arrayIn('$pull', current).filter((item) => !isDocument(item) || !filter.test(item));
  };
}

function currentDate(operand: unknown): Modifier {
  if (operand !== true) throw notSupported('$currentDate with anything but true');
  return () => new Date();
}

/** The supported update operators, except `$setOnInsert`. Other operators are refused with code 9. */
export const MODIFIERS: Record<string, (operand: unknown, field: string) => Modifier> = {
  $set: (operand) => () => operand,
  $unset: () => () => undefined,
  $inc: increment,
  $max: (operand) => (current) => (current === undefined || compareValues(operand, current) > 0 ? operand : current),
  $push: push,
  $pull: pull,
  $currentDate: currentDate,
};

/** Returns the error for an unknown or unsupported update operator. */
export const unknownModifier = (name: string): CommandError =>
  failedToParse(
    `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
  );
