import type { Collections } from '../collections.ts';
import { isDuplicateKey } from '../database-errors.ts';
import { baseline } from './0001-baseline.ts';
import { events } from './0002-events.ts';
import { webhooks } from './0003-webhooks.ts';
import { linkFields } from './0004-link-fields.ts';
import { health } from './0005-health.ts';
import { destinationsOfAccounts } from './0006-destinations-of-accounts.ts';
import type { Migration } from './migration.ts';

const MIGRATIONS: readonly Migration[] = [baseline, events, webhooks, linkFields, health, destinationsOfAccounts];

/** Runs the migrations that the database has no record of, in order. */
export async function migrate(collections: Collections, migrations = MIGRATIONS): Promise<void> {
  const done = new Set((await collections.migrations.find({}).toArray()).map(({ _id }) => _id));
  for (const { number, name, run } of migrations) {
    if (done.has(number)) continue;
    await run(collections);
    try {
      await collections.migrations.insertOne({ _id: number, name, done_at: new Date() });
    } catch (error) {
      // Another replica ran it too.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
