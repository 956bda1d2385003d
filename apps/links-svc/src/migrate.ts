import { notReadyLog, runTask, UnmetRequirement } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';

// Runs the migrations and exits, for deployments that do this before the new version
// serves. It waits for MongoDB without a limit, so the caller has to set one. It exits with code 1 if Waymark cannot
// work with that MongoDB.
await runTask('links-svc', readConfig, async ({ config, logger }) => {
  const unmet = Promise.withResolvers<never>();
  const logNotReady = notReadyLog(logger, 'MongoDB');
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onPreparing: (error) => (error instanceof UnmetRequirement ? unmet.reject(error) : logNotReady(error)),
  });
  await Promise.race([database.whenPrepared(), unmet.promise]);
  await database.close();
  logger.info('the database is ready');
});
