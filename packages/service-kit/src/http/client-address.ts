import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { parseAddress } from './parse-address.ts';

/** The most addresses of `X-Forwarded-For` that are examined, from its end. No real request passes more proxies. */
const PROXIES_MAX = 32;

/**
 * Returns a function that finds the address of a request's client: the last one in `X-Forwarded-For` that is not a
 * trusted proxy's. What is no address, such as `unknown`, identifies nobody: the client is then the proxy that reported
 * it. Each address has one spelling ({@link parseAddress}). An empty text if the connection is gone.
 */
export function clientAddress(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustProxy]);
  // Behind a proxy, one request after another has the same peer.
  let last = peerOf('', isTrusted);
  return ({ socket, headers }) => {
    const reported = socket.remoteAddress ?? '';
    if (reported !== last.reported) last = peerOf(reported, isTrusted);
    const header = headers['x-forwarded-for'];
    // Only the header of a trusted proxy is parsed.
    if (!last.isTrusted || typeof header !== 'string') return last.address;
    return lastUntrusted(header, isTrusted) ?? last.address;
  };
}

type Trust = (address: string, hop: number) => boolean;

function peerOf(reported: string, isTrusted: Trust) {
  const address = parseAddress(reported) ?? '';
  return { reported, address, isTrusted: isTrusted(address, 0) };
}

/** Returns the last address that is not trusted, or else the first of the trusted ones; null if there is no address. */
function lastUntrusted(header: string, isTrusted: Trust): string | null {
  let found: string | null = null;
  let end = header.length;
  for (let hop = 1; hop <= PROXIES_MAX && end >= 0; hop += 1) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1);
    const token = header.slice(comma + 1, end).trim();
    end = comma;
    if (token === '') continue;
    const address = parseAddress(token);
    if (address === null) return found;
    if (!isTrusted(address, hop)) return address;
    found = address;
  }
  return found;
}
