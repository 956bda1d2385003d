import Type from 'typebox';
import { validator } from './validate.ts';

const check = validator(Type.Object({}, { additionalProperties: false }));

/**
 * Checks the body of an operation that takes none: nothing, or an empty object.
 * @throws {AppError} `invalid` for any other.
 */
export function checkEmptyBody(body: unknown): void {
  check(body ?? {});
}
