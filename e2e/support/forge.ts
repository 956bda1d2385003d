import type { AccountIdentity } from '@waymark/auth';

export { createSigner, generateKey } from '@waymark/auth';

/** An identity that no gateway gave out. */
export const IDENTITY_TEST: AccountIdentity = {
  kind: 'account',
  accountId: '000000000000000000000000',
  username: 'mallory',
  plan: 'business',
  scope: 'full_access',
};
