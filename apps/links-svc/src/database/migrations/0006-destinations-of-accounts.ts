import type { Migration } from './migration.ts';

/** Adds the index of the destinations that only one account has. They are removed with it. */
export const destinationsOfAccounts: Migration = {
  number: 6,
  name: 'destinations-of-accounts',
  async run({ destinations }) {
    await destinations.createIndexes([
      { key: { account_id: 1 }, name: 'account', partialFilterExpression: { account_id: { $gt: '' } } },
    ]);
  },
};
