import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The part of ClickHouse's HTTP interface that the service needs to start. Statements are accepted and do nothing. */
export interface FakeClickHouse {
  url: string;
  /** The value of `version()`. */
  version: unknown;
  /** Settings that are rejected, with the error code. */
  refused: Map<string, number>;
  /** The code that every statement fails with; 0 for none. */
  failure: number;
  close(): Promise<void>;
}

export async function startFakeClickHouse(version: unknown): Promise<FakeClickHouse> {
  const fake: FakeClickHouse = { url: '', version, refused: new Map(), failure: 0, close: async () => {} };
  const server = createServer(async (request, response) => {
    const { statement, settings } = await readStatement(request);
    const refused = settings.find((name) => fake.refused.has(name));
    const code = fake.failure || (refused === undefined ? 0 : fake.refused.get(refused)!);
    if (code !== 0) {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: ${refused ?? 'a failure of the test'}. (SOME_ERROR)\n`);
    } else response.end(statement.includes('version()') ? `${JSON.stringify({ version: fake.version })}\n` : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return fake;
}

async function readStatement(request: IncomingMessage): Promise<{ statement: string; settings: string[] }> {
  const { searchParams } = new URL(request.url!, 'http://localhost');
  return { statement: `${searchParams.get('query') ?? ''}${await text(request)}`, settings: [...searchParams.keys()] };
}
