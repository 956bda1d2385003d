import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

const EXPIRY = [{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }] satisfies IndexDescription[];

/** Creates the indexes of jobs. They are found by their ids alone. */
export const jobs: Migration = {
  number: 3,
  name: 'jobs',
  async run(collections) {
    for (const name of ['jobs', 'jobParts', 'jobUndo'] as const) await collections[name].createIndexes(EXPIRY);
  },
};
