import { type Caller, requireAccount, requireService } from '@waymark/auth';
import { CreateRestrictedKeyInput, validator } from '@waymark/contract';
import {
  type accountsV1,
  type Implementation,
  meFromAccount,
  restrictedKeyToMessage,
  restrictionToMessage,
  timeToMessage,
} from '@waymark/proto';
import { ADMIN } from '../events/actor.ts';
import { type AccountSummary, checkScope } from './account.ts';
import type { AccountsService } from './accounts.service.ts';
import { meOf } from './me.ts';

type AccountMethods = Pick<
  Implementation<typeof accountsV1.AccountsService, Caller>,
  | 'getMe'
  | 'resolveKey'
  | 'createAccount'
  | 'getAccount'
  | 'listAccounts'
  | 'setPlan'
  | 'rotateKey'
  | 'revokeKey'
  | 'createRestrictedKey'
  | 'listRestrictedKeys'
  | 'deleteRestrictedKey'
>;

const restrictedInput = validator(CreateRestrictedKeyInput);

/** Implements the methods of accounts and keys. Only the gateway resolves keys, and only the command line manages accounts. */
export function accountsRpc(service: AccountsService): AccountMethods {
  return {
    getMe: async (_request, { caller }) => meFromAccount(meOf(requireAccount(caller.identity))),
    resolveKey: async ({ keyHash }, { caller }) => {
      requireService(caller.identity, 'gateway');
      const { key, ...owner } = await service.resolveKey(keyHash);
      return key === undefined ? owner : { ...owner, restriction: restrictionToMessage(key) };
    },
    createAccount: async ({ username, plan }, { caller }) => {
      requireService(caller.identity, 'admin');
      const { account, ...keys } = await service.create(username, plan, ADMIN);
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
    rotateKey: async ({ username, scope, graceSeconds }, { caller }) => {
      requireService(caller.identity, 'admin');
      const rotation = { scope: checkScope(scope), graceSeconds, actor: ADMIN };
      return { key: await service.rotateKey({ username }, rotation) };
    },
    revokeKey: async ({ username, scope }, { caller }) => {
      requireService(caller.identity, 'admin');
      await service.revokeKey({ username }, checkScope(scope), ADMIN);
      return {};
    },
    createRestrictedKey: async ({ username, $typeName: _, expiresAt: expires_at, ...input }, { caller }) => {
      requireService(caller.identity, 'admin');
      const checked = restrictedInput({ ...input, ...(expires_at !== undefined && { expires_at }) });
      const { key: secret, ...key } = await service.createRestrictedKey({ username }, checked, ADMIN);
      return { key: restrictedKeyToMessage(key), secret };
    },
    listRestrictedKeys: async ({ username }, { caller }) => {
      requireService(caller.identity, 'admin');
      return { keys: (await service.listRestrictedKeys({ username })).map(restrictedKeyToMessage) };
    },
    deleteRestrictedKey: async ({ username, id }, { caller }) => {
      requireService(caller.identity, 'admin');
      await service.deleteRestrictedKey({ username }, id, ADMIN);
      return {};
    },
  };
}

function accountToMessage({ createdAt, ...account }: AccountSummary) {
  return { ...account, createdAt: timeToMessage(createdAt) };
}
