import type { IncomingMessage } from 'node:http';
import { type Credentials, isSameUser } from '../credentials.ts';
import { ClickHouseException } from './errors.ts';

/**
 * What browsers send along with every request of a page, or with every one that counts, and no client of a database
 * does. Not Sec-Fetch-Mode, which Node's own `fetch` sends.
 */
const BROWSER_HEADERS = ['origin', 'referer', 'cookie', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user'];

/** A page whose name was pointed at this machine (DNS rebinding) sends its own name. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/i;

/** @throws ClickHouseException 497 for a request that a web page made, whatever it asks for. */
export function refuseWebPages({ headers }: IncomingMessage): void {
  const header = BROWSER_HEADERS.find((name) => headers[name] !== undefined);
  if (header !== undefined) throw denied(`Requests of browsers (here with the header ${header}) are refused`);
  if (!LOOPBACK_HOST.test(headers.host ?? '')) throw denied('The header Host must name a loopback address');
}

/** @throws ClickHouseException 516 unless the request has user and password, in the headers that ClickHouse takes. */
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
