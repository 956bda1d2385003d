import type { Migration } from './migration.ts';

/** Creates the indexes of the events of a link, of those that hid a link from a view (ADR 63), and of links that expire. */
export const events: Migration = {
  number: 2,
  name: 'events',
  async run(collections) {
    await collections.events.createIndexes([
      { key: { link_id: 1, _id: 1 }, name: 'link', partialFilterExpression: { link_id: { $gt: '' } } },
      {
        key: { link_id: 1, hidden_from: 1, _id: 1 },
        name: 'hidden_from',
        partialFilterExpression: { hidden_from: { $gt: '' } },
      },
    ]);
    await collections.linkExpiries.createIndexes([{ key: { due_at: 1 }, name: 'due' }]);
  },
};
