import { createLogger, runService } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { Database } from './database/database.ts';

// Creates the indexes that are missing and ends: for a deployment that wants it done before anything of the new version
// serves. It waits for MongoDB; whoever starts it bounds the time.
await runService('links-svc', async (lifecycle) => {
  const config = readConfig();
  const logger = createLogger({ service: 'links-svc', level: config.LOG_LEVEL });
  const database = new Database({
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    onPreparing: (err) => logger.warn({ err }, 'MongoDB is not ready; trying again'),
  });
  lifecycle.onShutdown('databases', () => database.close());
  await database.whenPrepared();
  await database.close();
  logger.info('the database is ready');
  process.exit(0);
});
