import { runTask } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { applyRetention } from './database/retention.ts';

// Brings ClickHouse to the schema of this version and ends: for a deployment that wants it done before anything of the
// new version serves. Where ClickHouse does not answer it ends with 1 and may be started again: what is done stays done.
await runTask('analytics-svc', readConfig, async ({ config, logger }) => {
  const database = openDatabase(config);
  await migrate(database);
  await applyRetention(database, config.CLICK_RETENTION_DAYS);
  await database.close();
  logger.info('the database is ready');
});
