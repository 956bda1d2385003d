import type { Migration } from './migration.ts';

/** Creates the indexes of webhooks. */
export const webhooks: Migration = {
  number: 3,
  name: 'webhooks',
  async run(collections) {
    await collections.webhooks.createIndexes([
      { key: { due_at: 1 }, name: 'due', partialFilterExpression: { due_at: { $gt: new Date(0) } } },
      { key: { clicks_at: 1 }, name: 'clicks', partialFilterExpression: { clicks_at: { $gt: new Date(0) } } },
      { key: { key_id: 1 }, name: 'secrets' },
    ]);
  },
};
