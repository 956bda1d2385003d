import type { Migration } from './migration.ts';

/** Adds the indexes of the checks of destinations, and of the broken links. Few links are broken. */
export const health: Migration = {
  number: 5,
  name: 'health',
  async run({ links, destinations, checkedHosts }) {
    await links.createIndexes([
      {
        key: { account_id: 1, broken: 1, state: 1, _id: 1 },
        name: 'broken',
        partialFilterExpression: { broken: true },
      },
    ]);
    await destinations.createIndexes([
      { key: { host: 1, check_at: 1 }, name: 'host' },
      { key: { wanted_at: 1 }, name: 'wanted_at' },
    ]);
    await checkedHosts.createIndexes([{ key: { due_at: 1 }, name: 'due_at' }]);
  },
};
