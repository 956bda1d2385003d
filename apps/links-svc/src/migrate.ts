import { notReadyLog, runTask, UnmetRequirement } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';

// Creates the indexes that are missing, upgrades stored documents and ends: for a deployment that wants it done before
// anything of the new version serves. It waits for MongoDB; whoever starts it bounds the time. A MongoDB that Waymark
// cannot work with ends it with 1.
await runTask('links-svc', readConfig, async ({ config, logger }) => {
  const unmet = Promise.withResolvers<never>();
  const logNotReady = notReadyLog(logger, 'MongoDB');
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onPreparing: (error) => (error instanceof UnmetRequirement ? unmet.reject(error) : logNotReady(error)),
  });
  await Promise.race([database.whenUpgraded(), unmet.promise]);
  await database.close();
  logger.info('the database is ready');
});
