import type { AccountIdentity } from '@waymark/auth';
import type { AccountsService } from '../accounts/accounts.service.ts';

/**
 * Returns the identity of the command line that acts for an account.
 * @throws {AppError} `not_found` if there is no such account.
 */
export async function adminIdentity(
  accounts: Pick<AccountsService, 'get'>,
  username: string,
): Promise<AccountIdentity> {
  const { id, plan } = await accounts.get(username);
  return { kind: 'account', accountId: id, username, plan, scope: 'full_access', byAdmin: true };
}
