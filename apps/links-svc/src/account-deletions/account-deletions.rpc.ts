import { type Caller, requireService } from '@waymark/auth';
import type { accountsV1, Implementation } from '@waymark/proto';
import type { AccountDeletions } from './account-deletions.service.ts';

type DeletionMethod = Pick<Implementation<typeof accountsV1.AccountsService, Caller>, 'deleteAccount'>;

/** Implements the method that deletes an account, for the command line only. */
export function accountDeletionsRpc(deletions: Pick<AccountDeletions, 'delete'>): DeletionMethod {
  return {
    deleteAccount: async ({ username }, { caller, signal }) => {
      requireService(caller.identity, 'admin');
      await deletions.delete(username, signal);
      return {};
    },
  };
}
