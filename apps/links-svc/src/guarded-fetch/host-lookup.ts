import { Resolver } from 'node:dns/promises';

/** A function that returns all addresses of a host name. Rejects if there is none. */
export type HostLookup = (hostname: string) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 1_000;
const QUERY_TRIES = 2;

/**
 * Returns a lookup that queries the name servers directly. The usual `dns.lookup` blocks one of libuv's few threads, so
 * slow names from one client would delay everything else that needs a thread, such as files and passwords.
 */
export function createHostLookup(): HostLookup {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    // RFC 6761, section 6.3: these names are the loopback address and must not be sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('the host name has no address');
    return addresses;
  };
}
