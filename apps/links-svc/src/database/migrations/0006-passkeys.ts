import type { Migration } from './migration.ts';

/** Creates the indexes of passkeys, which are listed by account, and of used challenges, which expire. */
export const passkeys: Migration = {
  number: 6,
  name: 'passkeys',
  async run(collections) {
    await collections.passkeys.createIndexes([{ key: { account_id: 1 }, name: 'account' }]);
    await collections.usedChallenges.createIndexes([{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  },
};
