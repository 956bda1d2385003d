import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { stack, type TestAccount } from './world.ts';

/** Much less than the ten seconds after which a replica counts as killed. */
const BEAT_EVERY_MS = 500;

/**
 * Makes the jobs of an account without jobs wait, as if another replica held them. Returns the function that lets them
 * begin.
 */
export async function holdJobs({ username }: TestAccount): Promise<() => Promise<void>> {
  const client = new MongoClient(stack.mongodbUrl);
  onTestFinished(() => client.close());
  const database = client.db(stack.database);
  const { _id } = (await database.collection('accounts').findOne({ username }))!;
  const queues = database.collection('job_queues');
  const lease = () => ({ holder: 'another replica', beat: randomUUID() });
  await queues.insertOne({ _id, ...lease(), jobs: [], revision: randomUUID() });
  let beat: Promise<unknown> | undefined;
  const beats = setInterval(() => {
    beat = queues.updateOne({ _id }, { $set: lease() });
  }, BEAT_EVERY_MS);
  onTestFinished(() => clearInterval(beats));
  return async () => {
    clearInterval(beats);
    await beat;
    await queues.updateOne({ _id }, { $set: { holder: null } });
  };
}
