import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { HostLookup } from './host-lookup.ts';
import type { AddressFilter } from './public-address.ts';

/** The error of a connection that was refused because of its address. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/**
 * Returns an agent that never connects to an address that the filter refuses. The check happens when a socket is
 * opened: a name is looked up once for each connection, only accepted addresses are tried, and the connected address is
 * checked again. So a name server that changes its response gains nothing.
 */
export function createGuardedAgent(isAllowed: AddressFilter, lookup: HostLookup, timeoutMs: number): Agent {
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: guardedLookup(isAllowed, lookup) });
  return new Agent({
    connect(options, callback) {
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) !== 0 && !isAllowed(literal)) {
        callback(new RefusedAddressError('the destination is not a public address'), null);
        return;
      }
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error === null && !isAllowed(remoteAddressOf(socket))) {
          socket.destroy();
          callback(new RefusedAddressError('the destination is not a public address'), null);
          return;
        }
        callback(...result);
      });
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    pipelining: 0,
  });
}

function guardedLookup(isAllowed: AddressFilter, lookup: HostLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (found) => {
        const addresses = found.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (first === undefined)
          callback(new RefusedAddressError('the host name has no public address'), options.all ? [] : '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, options.all ? [] : '', 0),
    );
  };
}

function remoteAddressOf(socket: Socket): string {
  return socket.remoteAddress ?? '';
}
