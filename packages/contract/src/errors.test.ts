import { expect, test } from 'vitest';
import { AppError, ERRORS, errorCodeOfGrpcStatus, toAppError } from './errors.ts';

test('every code has its own gRPC status and an HTTP status (docs/api.md, Errors)', () => {
  expect(new Set(Object.values(ERRORS).map((row) => row.grpc)).size).toBe(Object.keys(ERRORS).length);
  for (const [code, row] of Object.entries(ERRORS)) {
    expect([401, 403, 404, 405, 413, 421, 422, 429, 500, 503]).toContain(row.http);
    expect(errorCodeOfGrpcStatus(row.grpc)).toBe(code);
  }
});

test('a gRPC status that is not in the table becomes an internal error', () => {
  expect(errorCodeOfGrpcStatus(99)).toBe('internal');
});

test('an unknown error becomes an internal one, and its text stays in the cause', () => {
  const cause = new Error('password is hunter2');
  const error = toAppError(cause);
  expect(error.code).toBe('internal');
  expect(error.message).not.toContain('hunter2');
  expect(error.cause).toBe(cause);
});

test('an error with the status 503 says when to try again', () => {
  expect(new AppError('unavailable', 'x').retryAfterSeconds).toBeGreaterThan(0);
  expect(new AppError('not_found', 'x').retryAfterSeconds).toBeUndefined();
});
