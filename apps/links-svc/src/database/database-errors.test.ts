import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoUnexpectedServerResponseError,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isOutage } from './database-errors.ts';

type Cause = ConstructorParameters<typeof MongoBulkWriteError>[0];
const failedWrites = (cause: Cause) => new MongoBulkWriteError(cause, {} as BulkWriteResult);
const named = (name: string) => Object.assign(new Error('closed'), { name });

describe('an outage, which is 503 for clients', () => {
  test.each([
    ['a lost connection', new MongoNetworkError('connection closed')],
    ['a connection lost between several writes', failedWrites(new MongoNetworkError('read ECONNRESET'))],
    [
      'a connection that ends before the response',
      new MongoUnexpectedServerResponseError('Unable to get response from server'),
    ],
    ['connections that were closed while the request waited for one', named('MongoPoolClosedError')],
    ['no free connection in time', named('MongoWaitQueueTimeoutError')],
    ['a password that is rotated', new MongoServerError({ message: 'Authentication failed.', code: 18 })],
    ['a user that is restored', new MongoServerError({ message: 'Could not find user', code: 11 })],
    ['a user whose roles are restored', new MongoServerError({ message: 'requires authentication', code: 13 })],
    ['a server that is shutting down', new MongoServerError({ message: 'going down', code: 91 })],
  ])('%s', (_name, error) => expect(isOutage(error)).toBe(true));
});

describe('an outage: what Node reports when a request is written to a connection that', () => {
  test.each<[string, (server: Socket, client: Socket) => unknown]>([
    ['the server has ended', async (server, client) => [server.end(), await once(client.resume(), 'end')]],
    ['the server has reset', (server) => server.resetAndDestroy()],
    ['was closed', (_server, client) => client.destroy()],
  ])('%s', async (_name, end) => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    const [server] = (await once(listener, 'connection')) as [Socket];
    const failure = new Promise((resolve) => client.once('error', resolve));
    await end(server, client);
    const written = new Promise((resolve) => client.write('request', resolve));
    expect(isOutage(await Promise.race([failure, written]))).toBe(true);
    server.destroy();
    listener.close();
  });
});

describe('no outage', () => {
  test.each([
    ['a duplicate key', new MongoServerError({ message: 'E11000', code: 11000 })],
    ['a duplicate key of several writes', failedWrites({ message: 'E11000', code: 11000, writeErrors: [] })],
    ['a mistake of ours', new MongoInvalidArgumentError('hint is invalid')],
    ['any other error', new TypeError('undefined is not a function')],
  ])('%s', (_name, error) => expect(isOutage(error)).toBe(false));
});
