import {
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoUnexpectedServerResponseError,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isOutage } from './database-errors.ts';

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
