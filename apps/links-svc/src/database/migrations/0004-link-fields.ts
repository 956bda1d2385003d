import type { Migration } from './migration.ts';

/** Adds the index of the filter `managed_by`. Most links have no owner, and are not in it. */
export const linkFields: Migration = {
  number: 4,
  name: 'link-fields',
  async run({ links }) {
    await links.createIndexes([
      {
        key: { account_id: 1, managed_by: 1, state: 1, _id: 1 },
        name: 'managed_by',
        partialFilterExpression: { managed_by: { $gt: '' } },
      },
    ]);
  },
};
