import type { IncomingMessage } from 'node:http';
import { type Credentials, isSameUser } from '../credentials.ts';
import { ClickHouseException } from './errors.ts';

/**
 * Headers that browsers send with every request of a page, or with every request that matters, and database clients
 * never send. Sec-Fetch-Mode is excluded because Node's own `fetch` sends it.
 */
const BROWSER_HEADERS = ['origin', 'referer', 'cookie', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'];

/** In DNS rebinding, a page's own domain points to this machine, and the Host header carries that domain. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/i;

/**
 * Checks that a request was not made by a web page.
 * @throws ClickHouseException 497 if it was, whatever it requests.
 */
export function refuseWebPages({ headers }: IncomingMessage): void {
  const header = BROWSER_HEADERS.find((name) => headers[name] !== undefined);
  if (header !== undefined) throw denied(`Requests of browsers (here with the header ${header}) are refused`);
  if (!LOOPBACK_HOST.test(headers.host ?? '')) throw denied('The header Host must name a loopback address');
}

/**
 * Checks user and password, in the headers that ClickHouse accepts.
 * @throws ClickHouseException 516 if they are missing or wrong.
 */
export function authenticate({ headers }: IncomingMessage, credentials: Credentials): void {
  const sent = headers.authorization === undefined ? ownHeaders(headers) : basic(headers.authorization);
  if (isSameUser(sent, credentials)) return;
  throw new ClickHouseException(
    516,
    'AUTHENTICATION_FAILED',
    `${sent.user}: Authentication failed: password is incorrect, or there is no user with such name`,
  );
}

function ownHeaders(headers: IncomingMessage['headers']): Credentials {
  const { 'x-clickhouse-user': user = 'default', 'x-clickhouse-key': password = '' } = headers;
  return { user: String(user), password: String(password) };
}

function basic(authorization: string): Credentials {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? [];
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { user: user || 'default', password: password.join(':') };
}

function denied(text: string): ClickHouseException {
  return new ClickHouseException(497, 'ACCESS_DENIED', text);
}
