import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';

/**
 * Runs the statements of a write command one by one and gives its `writeErrors`: the first only when `ordered`, else
 * all. Errors that are no CommandError go through.
 */
export function runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, index: number) => void,
): Document[] {
  const errors: Document[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      errors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (ordered) break;
    }
  }
  return errors;
}

/** The most statements of one command, as MongoDB's. */
const MAX_STATEMENTS = 100_000;

/** The statements of a write command. Throws InvalidLength (16) for none or more than 100,000. */
export function statementsOf<T>(statements: unknown, command: string, field: string): T[] {
  if (!Array.isArray(statements))
    throw new CommandError(40414, `BSON field '${command}.${field}' is missing but a required field`);
  if (statements.length === 0 || statements.length > MAX_STATEMENTS) {
    throw new CommandError(
      16,
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${statements.length} operations.`,
    );
  }
  return statements as T[];
}

/** `writeErrors` where there are any: MongoDB leaves the field out otherwise. */
export const withErrors = (errors: Document[]): Document => (errors.length > 0 ? { writeErrors: errors } : {});
