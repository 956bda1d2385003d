import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/**
 * Returns a function that finds the address of a request's client, as Fastify's `request.ip` does: the last address in
 * `X-Forwarded-For` that is not a trusted proxy's. An empty text if the connection is gone.
 */
export function clientAddress(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const trust = proxyAddress.compile([...trustProxy]);
  // Behind a proxy, one request after another has the same peer.
  let last = { peer: '', isTrusted: trust('', 0) };
  return (request) => {
    const peer = request.socket.remoteAddress ?? '';
    if (peer !== last.peer) last = { peer, isTrusted: trust(peer, 0) };
    // Only the header of a trusted proxy is parsed.
    return last.isTrusted ? proxyAddress(request, trust) : peer;
  };
}
