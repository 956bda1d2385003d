import { MongoClient } from 'mongodb';

/** Drops the test database from the given database servers (MONGODB_URL, CLICKHOUSE_URL), which outlive the tests. */
export async function dropGivenDatabases(database: string): Promise<void> {
  const { MONGODB_URL, CLICKHOUSE_URL, CLICKHOUSE_USER = 'default', CLICKHOUSE_PASSWORD = '' } = process.env;
  if (MONGODB_URL) {
    const client = new MongoClient(MONGODB_URL);
    await client.db(database).dropDatabase();
    await client.close();
  }
  if (CLICKHOUSE_URL) {
    const body = `DROP DATABASE IF EXISTS ${database} SYNC`;
    const headers = { 'X-ClickHouse-User': CLICKHOUSE_USER, 'X-ClickHouse-Key': CLICKHOUSE_PASSWORD };
    await fetch(CLICKHOUSE_URL, { method: 'POST', headers, body });
  }
}
