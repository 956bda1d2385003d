import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { flagField, type Request } from './request.ts';

/** Returns whether a write command ends at its first error. In a transaction, that error also ends the transaction. */
export const isOrdered = ({ body, transaction }: Request): boolean =>
  transaction !== undefined || (flagField(body, 'ordered') ?? true);

/**
 * Runs the statements of a write command in order and returns its `writeErrors`: only the first if `ordered`, else all.
 * Rethrows errors that are not a CommandError.
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

/** The maximum number of statements in one command, as in MongoDB. */
const MAX_STATEMENTS = 100_000;

/** Returns the statements of a write command. Throws InvalidLength (16) for none or more than 100,000. */
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

/** Returns `writeErrors` only if there are any, as MongoDB does. */
export const withErrors = (errors: Document[]): Document => (errors.length > 0 ? { writeErrors: errors } : {});
