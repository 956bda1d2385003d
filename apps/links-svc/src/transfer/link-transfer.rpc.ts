import { type AccountIdentity, type Caller, requireService } from '@waymark/auth';
import { AppError, CreateLinkInput, toAppError, validatorIgnoringNull } from '@waymark/contract';
import { createLinkInput, type Implementation, type linksV1, linkToMessage, timeFromMessage } from '@waymark/proto';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { ListsService } from '../lists/lists.service.ts';
import type { ImportedLink, LinkImports } from './link-imports.service.ts';

const checkCreate = validatorIgnoringNull(CreateLinkInput);
const IMPORTED_AT_A_TIME = 200;

type TransferMethods = Pick<Implementation<typeof linksV1.LinksService, Caller>, 'importLinks' | 'exportLinks'>;

export interface LinkTransferDeps {
  lists: Pick<ListsService, 'export'>;
  imports: LinkImports;
  accounts: Pick<AccountsService, 'get'>;
}

/** Implements the methods that move all links of an account, for the command line only. */
export function linkTransferRpc({ lists, imports, accounts }: LinkTransferDeps): TransferMethods {
  /** Returns the identity of the account's Full Access key. */
  async function identityOf(username: string): Promise<AccountIdentity> {
    const { id, plan } = await accounts.get(username);
    return { kind: 'account', accountId: id, username, plan, scope: 'full_access' };
  }

  return {
    importLinks: async ({ username, links }, { caller }) => {
      requireService(caller.identity, 'admin');
      if (links.length > IMPORTED_AT_A_TIME)
        throw new AppError('invalid', `"links" must have at most ${IMPORTED_AT_A_TIME} items.`);
      const results = await imports.import(await identityOf(username), links.map(importedLink));
      return {
        results: results.map((result) =>
          result instanceof AppError ? { error: result.message } : { created: result === 'created' },
        ),
      };
    },
    exportLinks: async function* ({ username }, { caller }) {
      requireService(caller.identity, 'admin');
      for await (const links of lists.export(await identityOf(username), { archived: 'any' }))
        yield { links: links.map(linkToMessage) };
    },
  };
}

/** Returns the link of a message, or the error that its creation would get. */
function importedLink({ link, createdAt }: linksV1.ImportedLink): ImportedLink | AppError {
  try {
    const input = checkCreate(link === undefined ? {} : createLinkInput(link));
    return { input, createdAt: createdAt === undefined ? null : timeFromMessage(createdAt) };
  } catch (error) {
    return toAppError(error);
  }
}
