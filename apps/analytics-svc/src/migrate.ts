import { runTask } from '@waymark/service-kit';
import { readConfig } from './config.ts';
import { openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';

// Creates the tables in ClickHouse and exits, for deployments that do so before any process of the new version serves.
// If ClickHouse does not respond it exits with code 1. It may be run again and keeps what is done.
await runTask('analytics-svc', readConfig, async ({ config, logger }) => {
  const database = openDatabase(config);
  await migrate(database, config.CLICKHOUSE_CLUSTER);
  await database.close();
  logger.info('the database is ready');
});
