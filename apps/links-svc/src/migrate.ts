import { runTask } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';

// Creates the indexes that are missing, upgrades stored documents and ends: for a deployment that wants it done before
// anything of the new version serves. It waits for MongoDB; whoever starts it bounds the time.
await runTask('links-svc', readConfig, async ({ config, logger }) => {
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onPreparing: (err) => logger.warn({ err }, 'MongoDB is not ready; trying again'),
  });
  await database.whenUpgraded();
  await database.close();
  logger.info('the database is ready');
});
