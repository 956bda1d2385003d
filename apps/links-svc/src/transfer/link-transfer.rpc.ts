import { type AccountIdentity, type Caller, requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { type Implementation, type linksV1, linkToMessage } from '@waymark/proto';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { ListsService } from '../lists/lists.service.ts';

type TransferMethods = Pick<Implementation<typeof linksV1.LinksService, Caller>, 'importLinks' | 'exportLinks'>;

export interface LinkTransferDeps {
  lists: Pick<ListsService, 'export'>;
  accounts: Pick<AccountsService, 'get'>;
}

/** Implements the methods that move all links of an account, for the command line only. */
export function linkTransferRpc({ lists, accounts }: LinkTransferDeps): TransferMethods {
  /** Returns the identity of the account's Full Access key. */
  async function identityOf(username: string): Promise<AccountIdentity> {
    const { id, plan } = await accounts.get(username);
    return { kind: 'account', accountId: id, username, plan, scope: 'full_access' };
  }

  return {
    importLinks: async () => {
      throw new AppError('method_not_allowed', 'Replaced by the import of files.');
    },
    exportLinks: async function* ({ username }, { caller }) {
      requireService(caller.identity, 'admin');
      for await (const links of lists.export(await identityOf(username), { archived: 'any' }))
        yield { links: links.map(linkToMessage) };
    },
  };
}
