import { randomBytes, randomUUID } from 'node:crypto';
import type { Migration } from './migration.ts';

/**
 * Creates the indexes of the events of a link, of those that hid a link from a view (ADR 63), and of links that expire.
 * Gives accounts that were created before a key for the ids of their events.
 */
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
    const without = { events_key: { $exists: false } };
    const found = collections.accounts.find<{ _id: string }>(without, { projection: { _id: 1 } });
    for (const { _id } of await found.toArray()) {
      const $set = { events_key: randomBytes(16).toString('hex'), write_id: randomUUID() };
      await collections.accounts.updateOne({ _id, ...without }, { $set });
    }
  },
};
