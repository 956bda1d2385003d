import { type AppError, toAppError } from '@waymark/contract';

/** Returns the result of the work, or its error. */
export async function errorAsValue<Result>(work: () => Promise<Result>): Promise<Result | AppError> {
  try {
    return await work();
  } catch (error) {
    return toAppError(error);
  }
}

/** Returns the result of work that is done at once, or its error. */
export function errorAsValueSync<Result>(work: () => Result): Result | AppError {
  try {
    return work();
  } catch (error) {
    return toAppError(error);
  }
}
