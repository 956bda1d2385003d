import { Resolver } from 'node:dns/promises';

/** All addresses of a host name. Rejects when there is none. */
export type HostLookup = (hostname: string) => Promise<string[]>;

const QUERY_TIMEOUT_MS = 1_000;
const QUERY_TRIES = 2;

/**
 * Asks the name servers directly. The usual `dns.lookup` waits in one of libuv's few threads, so that slow names given
 * by one client would hold up everything else that needs a thread: files, passwords.
 */
export function createHostLookup(): HostLookup {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    // RFC 6761, section 6.3: these names are the loopback address, and no name server is asked for them.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('the host name has no address');
    return addresses;
  };
}
