import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The part of ClickHouse's HTTP interface that the service needs to start. Statements are accepted and do nothing. */
export interface FakeClickHouse {
  url: string;
  /** The value of `version()`. */
  version: unknown;
  /** Settings that are rejected, with the error code. */
  refused: Map<string, number>;
  /** The engine of every database. */
  databaseEngine: string;
  /** Whether it has the setting `deduplicate_insert`. */
  hasDeduplicateInsert: boolean;
  /** The servers behind the address. Each statement reaches the next one. */
  servers: string[];
  /** Which looks at the replicas find one that lags. */
  lags: { log: boolean; queue: boolean };
  /** The statements so far, with the names of their settings. */
  statements: { statement: string; settings: string[] }[];
  /** The code that every statement fails with; 0 for none. */
  failure: number;
  /** The accounts whose questions get no response until the test ends it. */
  heldAccounts: Set<string>;
  /** The responses to these questions, until they end or their clients disconnect. */
  held: Set<ServerResponse>;
  close(): Promise<void>;
}

export async function startFakeClickHouse(version: unknown): Promise<FakeClickHouse> {
  const fake: FakeClickHouse = {
    url: '',
    version,
    refused: new Map(),
    databaseEngine: 'Atomic',
    hasDeduplicateInsert: true,
    servers: ['one'],
    lags: { log: false, queue: false },
    statements: [],
    failure: 0,
    heldAccounts: new Set(),
    held: new Set(),
    close: async () => {},
  };
  const server = createServer(async (request, response) => {
    const { statement, settings, account } = await readStatement(request);
    fake.statements.push({ statement, settings });
    if (account !== null && fake.heldAccounts.has(account)) {
      fake.held.add(response);
      response.on('close', () => fake.held.delete(response));
      return;
    }
    const refused = settings.find((name) => fake.refused.has(name));
    const code = fake.failure || (refused === undefined ? 0 : fake.refused.get(refused)!);
    if (code !== 0) {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: ${refused ?? 'a failure of the test'}. (SOME_ERROR)\n`);
    } else response.end(answerTo(statement, fake));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return fake;
}

function answerTo(statement: string, fake: FakeClickHouse): string {
  const { version, databaseEngine, hasDeduplicateInsert, servers, statements } = fake;
  if (statement.includes('version()')) return `${JSON.stringify({ version })}\n`;
  if (statement.includes('AS numbers')) return '{"numbers":["1"]}\n';
  if (statement.includes('system.databases')) return `${JSON.stringify({ engine: databaseEngine })}\n`;
  if (statement.includes('system.tables'))
    return ['clicks', 'removed_clicks', 'migrations'].map((name) => `${JSON.stringify({ name })}\n`).join('');
  if (statement.includes('system.settings')) return hasDeduplicateInsert ? '{"1":1}\n' : '';
  if (statement.includes('log_pointer')) return fake.lags.log ? '{"1":1}\n' : '';
  if (statement.includes('inserts_in_queue')) return fake.lags.queue ? '{"1":1}\n' : '';
  if (!statement.includes('serverUUID()')) return '';
  return `${JSON.stringify({ server: servers[statements.length % servers.length] })}\n`;
}

async function readStatement(request: IncomingMessage) {
  const { searchParams } = new URL(request.url!, 'http://localhost');
  return {
    statement: `${searchParams.get('query') ?? ''}${await text(request)}`,
    settings: [...searchParams.keys()],
    /** The account that a question is about. */
    account: searchParams.get('param_account'),
  };
}
