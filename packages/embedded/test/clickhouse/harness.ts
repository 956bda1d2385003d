import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  createClient,
} from '@clickhouse/client';

/** The user of the servers started here, and of the server at CLICKHOUSE_URL. */
const USER = process.env.CLICKHOUSE_USER ?? 'default';
const PASSWORD = process.env.CLICKHOUSE_PASSWORD ?? (process.env.CLICKHOUSE_URL ? '' : 'a password of the tests');
export const LOGIN = { username: USER, password: PASSWORD };
export const LOGIN_HEADERS = { 'X-ClickHouse-User': USER, 'X-ClickHouse-Key': PASSWORD };

const MAIN = join(import.meta.dirname, '../../src/clickhouse/main.ts');

/** A server in its own process, as `start` runs it. */
export interface ServerProcess {
  url: string;
  /** Resolves with the exit code after the process has exited; null after a signal. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export async function spawnServer(dataDir: string, port = 0, main = MAIN): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, ['--conditions=@waymark/source', main], {
    // Package managers' scripts set NODE_PATH. Without it, packages resolve from the file's own location only.
    env: {
      ...process.env,
      NODE_PATH: '',
      DATA_DIR: dataDir,
      PORT: String(port),
      DATABASE_USER: USER,
      DATABASE_PASSWORD: PASSWORD,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'exit');
  const url = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([line]) => String(line)),
    exited.then(() => {
      throw new Error(stderr);
    }),
  ]);
  return {
    url,
    async stop(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code as number | null;
    },
  };
}

export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'waymark-clickhouse-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Returns CLICKHOUSE_URL if the server sends its display name as ClickHouse does: these tests check details of HTTP
 * that compatible servers do not implement.
 */
async function findGivenServer(): Promise<string | undefined> {
  const url = process.env.CLICKHOUSE_URL;
  if (!url) return undefined;
  const response = await fetch(url, { method: 'POST', headers: LOGIN_HEADERS, body: 'SELECT 1' });
  await response.text();
  return response.headers.has('x-clickhouse-server-display-name') ? url : undefined;
}

/** A separate database on the server at CLICKHOUSE_URL, or on a new server. */
export interface TestDatabase {
  url: string;
  name: string;
  client: ClickHouseClient;
  connect(options?: ClickHouseClientConfigOptions): ClickHouseClient;
  /** Returns the rows of a query, as the client parses them. */
  rows<T>(query: string, params?: Record<string, unknown>): Promise<T[]>;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const directory = temporaryDirectory();
  const given = await findGivenServer();
  const server = given ? undefined : await spawnServer(directory.path);
  const url = given ?? server!.url;
  const name = `embedded_test_${randomUUID().replaceAll('-', '')}`;
  const clients: ClickHouseClient[] = [];
  const connect = (options: ClickHouseClientConfigOptions = {}) => {
    const client = createClient({ url, ...LOGIN, database: name, log: { level: ClickHouseLogLevel.OFF }, ...options });
    clients.push(client);
    return client;
  };
  const admin = connect({ database: 'default' });
  await admin.command({ query: `CREATE DATABASE ${name}` });
  const client = connect();
  return {
    url,
    name,
    client,
    connect,
    async rows<T>(query: string, params?: Record<string, unknown>) {
      const result = await client.query({ query, format: 'JSONEachRow', ...(params ? { query_params: params } : {}) });
      return (await result.json()) as T[];
    },
    async close() {
      await admin.command({ query: `DROP DATABASE ${name}` });
      await Promise.all(clients.map((each) => each.close()));
      await server?.stop('SIGTERM');
      directory.remove();
    },
  };
}
