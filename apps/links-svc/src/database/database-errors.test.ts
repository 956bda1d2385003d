import {
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoUnexpectedServerResponseError,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { duplicatePositions, isOutage } from './database-errors.ts';

const named = (name: string) => Object.assign(new Error('closed'), { name });

describe('an outage, which is 503 for clients', () => {
  test.each([
    ['a lost connection', new MongoNetworkError('connection closed')],
    [
      'a connection that ends before the response',
      new MongoUnexpectedServerResponseError('Unable to get response from server'),
    ],
    ['connections that were closed while the request waited for one', named('MongoPoolClosedError')],
    ['no free connection in time', named('MongoWaitQueueTimeoutError')],
    ['a server that is shutting down', new MongoServerError({ message: 'going down', code: 91 })],
  ])('%s', (_name, error) => expect(isOutage(error)).toBe(true));
});

describe('no outage', () => {
  test.each([
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 })],
    ['a mistake of ours', new MongoInvalidArgumentError('hint is invalid')],
    ['any other error', new TypeError('undefined is not a function')],
  ])('%s', (_name, error) => expect(isOutage(error)).toBe(false));
});

describe('the refused documents of a bulk write', () => {
  const bulkError = (writeConcernError?: object) =>
    new MongoBulkWriteError(
      { message: 'refused', code: 11000, writeErrors: [{ index: 1, code: 11000 }] } as never,
      { getWriteConcernError: () => writeConcernError } as never,
    );

  test('are known by their positions', () => expect([...duplicatePositions(bulkError())]).toEqual([1]));

  test('are not trusted if the others have no majority', () => {
    const error = bulkError({ code: 64 });
    expect(() => duplicatePositions(error)).toThrow(error);
  });
});
