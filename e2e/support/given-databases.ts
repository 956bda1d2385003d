import { MongoClient } from 'mongodb';

const { CLICKHOUSE_USER = 'default', CLICKHOUSE_PASSWORD = '' } = process.env;
/** For services that are not told by the environment of the tests. */
export const CLICKHOUSE_LOGIN = { CLICKHOUSE_USER, CLICKHOUSE_PASSWORD };
/** For requests to ClickHouse itself. */
export const CLICKHOUSE_HEADERS = { 'X-ClickHouse-User': CLICKHOUSE_USER, 'X-ClickHouse-Key': CLICKHOUSE_PASSWORD };

/** Removes what the tests wrote into databases that were given (MONGODB_URL, CLICKHOUSE_URL) and stay. */
export async function dropGivenDatabases(database: string): Promise<void> {
  const { MONGODB_URL, CLICKHOUSE_URL } = process.env;
  if (MONGODB_URL) {
    const client = new MongoClient(MONGODB_URL);
    await client.db(database).dropDatabase();
    await client.close();
  }
  if (CLICKHOUSE_URL) {
    const body = `DROP DATABASE IF EXISTS ${database} SYNC`;
    await fetch(CLICKHOUSE_URL, { method: 'POST', headers: CLICKHOUSE_HEADERS, body });
  }
}
