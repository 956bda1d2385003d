import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

/** The links on short hosts. docs/links-queries.md explains it. */
export const SHORT_HOST_INDEX = {
  key: { account_id: 1, host_id: 1 },
  name: 'short_host',
  partialFilterExpression: { host_id: { $gt: '' } },
} satisfies IndexDescription;

/** Creates the indexes of short hosts, of which one account has each verified, and of the links that use one. */
export const hosts: Migration = {
  number: 7,
  name: 'hosts',
  async run({ hosts, links }) {
    await hosts.createIndexes([
      { key: { account_id: 1, host: 1 }, name: 'account', unique: true },
      { key: { host: 1 }, name: 'verified', unique: true, partialFilterExpression: { status: 'verified' } },
      { key: { look_at: 1 }, name: 'looks' },
    ]);
    await links.createIndexes([SHORT_HOST_INDEX]);
  },
};
