import { type Caller, requireService } from '@waymark/auth';
import type { accountsV1, Implementation } from '@waymark/proto';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import { besidesLinks } from './short-hosts.routes.ts';

type ShortHostsMethod = Pick<Implementation<typeof accountsV1.AccountsService, Caller>, 'findShortHosts'>;

/** Implements the method that tells the gateway which `Host` headers are not served as the default host. */
export function shortHostsRpc(hosts: Pick<AskedHosts, 'of'>): ShortHostsMethod {
  return {
    findShortHosts: async ({ hostHeaders }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const found = hostHeaders.flatMap((hostHeader) => {
        const host = hosts.of(hostHeader);
        if (host === null || host === 'refused') return [];
        const { isVerified, rootLocation, notFoundLocation } = besidesLinks(host);
        return {
          hostHeader,
          isVerified,
          ...(rootLocation !== null && { rootLocation }),
          ...(notFoundLocation !== null && { notFoundLocation }),
        };
      });
      return {
        hosts: found,
        refusedHostHeaders: hostHeaders.filter((hostHeader) => hosts.of(hostHeader) === 'refused'),
      };
    },
  };
}
