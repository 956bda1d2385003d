import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

const EXPIRY = [{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }] satisfies IndexDescription[];

/** Creates the indexes of jobs. They are found by their ids, and those of a key by its scope. */
export const jobs: Migration = {
  number: 3,
  name: 'jobs',
  async run(collections) {
    for (const name of ['jobs', 'jobParts', 'jobUndo'] as const) await collections[name].createIndexes(EXPIRY);
    await collections.jobs.createIndexes([{ key: { account_id: 1, scope: 1, _id: 1 }, name: 'scope' }]);
  },
};
