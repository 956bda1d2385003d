import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

/** The user of the servers started here. */
const USER = 'default';
const PASSWORD = 'a password of the tests';
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

/** A database on a new server. */
export interface TestDatabase {
  url: string;
  name: string;
  client: ClickHouseClient;
  /** Returns the rows of a query, as the client parses them. */
  rows<T>(query: string): Promise<T[]>;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const directory = temporaryDirectory();
  const server = await spawnServer(directory.path);
  const name = 'embedded_test';
  const common = { url: server.url, ...LOGIN, log: { level: ClickHouseLogLevel.OFF } };
  const admin = createClient(common);
  await admin.command({ query: `CREATE DATABASE ${name}` });
  await admin.close();
  const client = createClient({ ...common, database: name });
  return {
    url: server.url,
    name,
    client,
    async rows<T>(query: string) {
      const result = await client.query({ query, format: 'JSONEachRow' });
      return (await result.json()) as T[];
    },
    async close() {
      await client.close();
      await server.stop('SIGTERM');
      directory.remove();
    },
  };
}
