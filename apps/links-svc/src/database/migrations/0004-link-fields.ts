import type { Migration } from './migration.ts';

/**
 * Adds the index of the filter `managed_by`, and that of limits of which nothing is left. Few documents are in them.
 */
export const linkFields: Migration = {
  number: 4,
  name: 'link-fields',
  async run({ links, clickLimits }) {
    await links.createIndexes([
      {
        key: { account_id: 1, managed_by: 1, state: 1, _id: 1 },
        name: 'managed_by',
        partialFilterExpression: { managed_by: { $gt: '' } },
      },
    ]);
    await clickLimits.createIndexes([
      { key: { left: 1 }, name: 'spent', partialFilterExpression: { left: { $lte: 0 } } },
    ]);
  },
};
