import { type Caller, requireService } from '@waymark/auth';
import type { accountsV1, Implementation } from '@waymark/proto';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import { locationsOf } from './short-hosts.routes.ts';

type ShortHostMethod = Pick<Implementation<typeof accountsV1.AccountsService, Caller>, 'findShortHost'>;

/** Implements the method that tells the gateway whether a request is on a short host. */
export function shortHostsRpc(hosts: Pick<AskedHosts, 'of'>): ShortHostMethod {
  return {
    findShortHost: async ({ hostHeader }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const host = hosts.of(hostHeader);
      if (host === null || host === 'refused') return { isShortHost: false };
      const { rootLocation, notFoundLocation } = locationsOf(host);
      return {
        isShortHost: true,
        ...(rootLocation !== null && { rootLocation }),
        ...(notFoundLocation !== null && { notFoundLocation }),
      };
    },
  };
}
