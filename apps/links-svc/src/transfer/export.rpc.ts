import { type Caller, requireService } from '@waymark/auth';
import { type Implementation, type linksV1, linkToMessage } from '@waymark/proto';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { ListsService } from '../lists/lists.service.ts';
import { adminIdentity } from './admin-identity.ts';

type ExportMethod = Pick<Implementation<typeof linksV1.LinksService, Caller>, 'exportLinks'>;

export interface ExportRpcDeps {
  lists: Pick<ListsService, 'export'>;
  accounts: Pick<AccountsService, 'get'>;
}

/** Implements the method that exports all links of an account, for the command line only. */
export function exportRpc({ lists, accounts }: ExportRpcDeps): ExportMethod {
  return {
    exportLinks: async function* ({ username }, { caller }) {
      requireService(caller.identity, 'admin');
      for await (const links of lists.export(await adminIdentity(accounts, username), { archived: 'any' }))
        yield { links: links.map(linkToMessage) };
    },
  };
}
