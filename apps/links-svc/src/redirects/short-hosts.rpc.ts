import { type Caller, requireService } from '@waymark/auth';
import type { accountsV1, Implementation } from '@waymark/proto';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import { locationsOf } from './short-hosts.routes.ts';

type ShortHostsMethod = Pick<Implementation<typeof accountsV1.AccountsService, Caller>, 'findShortHosts'>;

/** Implements the method that tells the gateway which `Host` headers name short hosts. */
export function shortHostsRpc(hosts: Pick<AskedHosts, 'of'>): ShortHostsMethod {
  return {
    findShortHosts: async ({ hostHeaders }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const found = hostHeaders.flatMap((hostHeader) => {
        const host = hosts.of(hostHeader);
        if (host === null || host === 'refused') return [];
        const { rootLocation, notFoundLocation } = locationsOf(host);
        return {
          hostHeader,
          ...(rootLocation !== null && { rootLocation }),
          ...(notFoundLocation !== null && { notFoundLocation }),
        };
      });
      return { hosts: found };
    },
  };
}
