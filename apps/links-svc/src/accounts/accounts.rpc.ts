import { type Caller, requireAccount, requireService } from '@waymark/auth';
import { fieldsOf } from '@waymark/contract';
import { type accountsV1, type Implementation, meFromAccount, timeToMessage } from '@waymark/proto';
import { ADMIN } from '../events/actor.ts';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import type { PasskeysService } from '../passkeys/passkeys.service.ts';
import { locationsOf } from '../redirects/short-hosts.routes.ts';
import type { SessionsService } from '../sessions/sessions.service.ts';
import { type AccountSummary, checkScope } from './account.ts';
import type { AccountsService } from './accounts.service.ts';
import { meOf } from './me.ts';

/**
 * Implements `accounts.v1.AccountsService`. Only the gateway resolves keys and sessions and signs people in, and only the
 * command line manages accounts.
 */
export function accountsRpc(
  service: AccountsService,
  sessions: SessionsService,
  passkeys: PasskeysService,
  hosts: Pick<AskedHosts, 'of'>,
): Implementation<typeof accountsV1.AccountsService, Caller> {
  return {
    getMe: async (_request, { caller }) => meFromAccount(meOf(requireAccount(caller.identity))),
    resolveKey: async ({ keyHash }, { caller }) => {
      requireService(caller.identity, 'gateway');
      return service.resolveKey(keyHash);
    },
    resolveSession: async ({ tokenHash }, { caller }) => {
      requireService(caller.identity, 'gateway');
      return sessions.resolve(tokenHash);
    },
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
    createSession: async ({ signInTokenHash }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const { token, expiresAt } = await sessions.createSession(signInTokenHash);
      return { token, expiresAt: timeToMessage(expiresAt) };
    },
    createSignInOptions: async (_request, { caller }) => {
      requireService(caller.identity, 'gateway');
      return { optionsJson: JSON.stringify(await passkeys.requestOptions()) };
    },
    createPasskeySession: async ({ responseJson }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const { token, expiresAt } = await passkeys.signIn(fieldsOf(JSON.parse(responseJson)));
      return { token, expiresAt: timeToMessage(expiresAt) };
    },
    createAccount: async ({ username, plan }, { caller }) => {
      requireService(caller.identity, 'admin');
      const { account, ...keys } = await service.create(username, plan);
      return { account: accountToMessage(account), ...keys };
    },
    getAccount: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      return { account: accountToMessage(await service.get(username)) };
    },
    listAccounts: async ({ pageSize, pageToken }, { caller }) => {
      requireService(caller.identity, 'admin');
      const { accounts, nextPageToken } = await service.list(pageSize, pageToken);
      return { accounts: accounts.map(accountToMessage), nextPageToken };
    },
    setPlan: async ({ username, plan }, { caller }) => {
      requireService(caller.identity, 'admin');
      return { account: accountToMessage(await service.setPlan(username, plan)) };
    },
    deleteAccount: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      await service.delete(username);
      return {};
    },
    rotateKey: async ({ username, scope }, { caller }) => {
      requireService(caller.identity, 'admin');
      return { key: await service.rotateKey({ username }, checkScope(scope), ADMIN) };
    },
    revokeKey: async ({ username, scope }, { caller }) => {
      requireService(caller.identity, 'admin');
      await service.revokeKey({ username }, checkScope(scope), ADMIN);
      return {};
    },
    createSignInLink: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      const { url, expiresAt } = await sessions.createSignInLink(username);
      return { url, expiresAt: timeToMessage(expiresAt) };
    },
    signOut: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      await sessions.signOut(username);
      return {};
    },
  };
}

function accountToMessage({ createdAt, ...account }: AccountSummary) {
  return { ...account, createdAt: timeToMessage(createdAt) };
}
