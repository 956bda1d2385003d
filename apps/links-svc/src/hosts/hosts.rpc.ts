import { type Caller, requireService } from '@waymark/auth';
import { AppError, NO_SUCH_HOST_MESSAGE } from '@waymark/contract';
import { type hostsV1, type Implementation, timeToMessage } from '@waymark/proto';
import { noAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { HostDocument } from '../database/documents/host.ts';
import { ADMIN } from '../events/actor.ts';
import { txtName } from './host.ts';
import type { HostsService } from './hosts.service.ts';
import type { HostsStore } from './hosts.store.ts';

export interface HostsRpcDeps {
  service: Pick<HostsService, 'look'>;
  hosts: Pick<HostsStore, 'list' | 'listOf' | 'find' | 'findByName'>;
  accounts: Pick<AccountsStore, 'findLiving' | 'usernames'>;
}

const PAGE_SIZE_MAX = 1_000;

/** Implements `hosts.v1.HostsService`, for the command line. */
export function hostsRpc({
  service,
  hosts,
  accounts,
}: HostsRpcDeps): Implementation<typeof hostsV1.HostsService, Caller> {
  async function getAccount(username: string) {
    const account = await accounts.findLiving({ username });
    if (account === null) throw noAccount({ username });
    return account;
  }

  return {
    listHosts: async ({ username, pageSize, pageToken }, { caller }) => {
      requireService(caller.identity, 'admin');
      if (username !== '') {
        const account = await getAccount(username);
        return { hosts: (await hosts.listOf(account._id)).map((host) => toMessage(host, account.username)) };
      }
      const size = Math.min(Math.max(pageSize, 1), PAGE_SIZE_MAX);
      const found = await hosts.list(pageToken, size);
      const usernames = await accounts.usernames(found.map(({ account_id }) => account_id));
      return {
        // Hosts of an account that is being deleted have no name any more.
        hosts: found.flatMap((host) => {
          const name = usernames.get(host.account_id);
          return name === undefined ? [] : [toMessage(host, name)];
        }),
        nextPageToken: found.length === size ? found.at(-1)!._id : '',
      };
    },
    verifyHost: async ({ username, host: name }, { caller }) => {
      requireService(caller.identity, 'admin');
      const account = await getAccount(username);
      const host = await hosts.findByName(account._id, name.toLowerCase());
      if (host === null) throw new AppError('not_found', NO_SUCH_HOST_MESSAGE);
      await service.look(host, () => ADMIN);
      const looked = await hosts.find(account._id, host._id);
      if (looked === null) throw new AppError('not_found', NO_SUCH_HOST_MESSAGE);
      return { host: toMessage(looked, account.username) };
    },
  };
}

function toMessage({ _id, host, status, txt_value, checked_at }: HostDocument, username: string) {
  return {
    id: _id,
    username,
    host,
    status,
    txtName: txtName(host),
    txtValue: txt_value,
    ...(checked_at !== null && { checkedAt: timeToMessage(checked_at) }),
  };
}
