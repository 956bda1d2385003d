import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../packages/stack/src/ports.ts';
import { openDatabase } from '../src/database/database.ts';
import { type FakeClickHouse, startFakeClickHouse } from './fake-clickhouse.ts';
import { account, SIGNING_KEY, startService } from './harness.ts';

let clickhouse: FakeClickHouse;
let child: ChildProcess | undefined;
beforeEach(async () => {
  clickhouse = await startFakeClickHouse('25.3.14.14');
  clickhouse.refused.set('enable_shared_storage_snapshot_in_query', 115);
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  child = undefined;
  await clickhouse.close();
});

const OLD = 'ClickHouse is version 25.3.14.14; Waymark needs 25.6 or later: upgrade ClickHouse.';
const env = () => ({ CLICKHOUSE_URL: clickhouse.url, LINKS_GRPC: '127.0.0.1:9' });

function startProcess(entry: string, more: Record<string, string> = {}): ChildProcess {
  child = spawn(process.execPath, ['--conditions=@waymark/source', join(import.meta.dirname, '../src', entry)], {
    env: { ...process.env, SIGNING_KEY, HOST: '127.0.0.1', HTTP_PORT: '0', GRPC_PORT: '0', ...env(), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

describe('a ClickHouse before 25.6', () => {
  test('is not ready, and /readyz says what it is, what is needed and what to do', async () => {
    const service = await startService(env(), { wait: false });
    expect(await service.get('/readyz')).toMatchObject({
      status: 503,
      body: { error: `Not ready: clickhouse. ${OLD}` },
    });
    expect(await service.get('/api/v1/analytics', account('a'))).toMatchObject({ status: 503 });
    expect(await service.get('/livez')).toMatchObject({ status: 200 });
    await service.close();
  });

  test('is named in one line of the log at the start', async () => {
    const [port] = await findFreePorts(1, '127.0.0.1');
    const { stdout } = startProcess('main.ts', { HTTP_PORT: String(port), LOG_LEVEL: 'warn' });
    const log = text(stdout!);
    while ((await fetch(`http://127.0.0.1:${port}/livez`).catch(() => null)) === null) await sleep(20);
    child!.kill('SIGTERM');
    const lines = (await log).split('\n').filter((line) => line.includes('25.3.14.14'));
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([OLD]);
  });

  test('ends the migration with the line and code 1', async () => {
    const { stderr } = startProcess('migrate.ts');
    const [printed, [code]] = await Promise.all([text(stderr!), once(child!, 'exit')]);
    expect({ printed, code }).toEqual({ printed: `analytics-svc: ${OLD}\n`, code: 1 });
  });

  test('that is upgraded meanwhile is used without a restart', async () => {
    const service = await startService(env(), { wait: false });
    clickhouse.version = '25.6.1.3206';
    clickhouse.refused.clear();
    while ((await service.get('/readyz')).status !== 200) await sleep(100);
    await service.close();
  });
});

test.each(['25.6.1', '100.0.1-lts'])('version %s is ready', async (version) => {
  clickhouse.version = version;
  clickhouse.refused.clear();
  const service = await startService(env());
  await service.close();
});

test.each(['', '25', null, 'v26.1'])('a version that cannot be read is not ready: %j', async (version) => {
  clickhouse.version = version;
  clickhouse.refused.clear();
  const service = await startService(env(), { wait: false });
  expect(await service.get('/readyz')).toMatchObject({
    status: 503,
    body: {
      error: `Not ready: clickhouse. The version that ClickHouse announces, ${JSON.stringify(version)}, cannot be read; Waymark needs 25.6 or later: connect it to ClickHouse itself.`,
    },
  });
  await service.close();
});

test.each([
  ['max_query_size', 164],
  ['enable_multiple_prewhere_read_steps', 452],
  ['async_insert', 472],
])('a user who may not change %s is not ready, and the line says so', async (setting, code) => {
  clickhouse.version = '25.8.2.29';
  clickhouse.refused = new Map([[setting, code]]);
  const service = await startService(env(), { wait: false });
  expect(await service.get('/readyz')).toMatchObject({
    status: 503,
    body: {
      error: expect.stringMatching(
        new RegExp(
          `ClickHouse 25.8.2.29 refuses a setting that Waymark sends \\(.*${setting}.*\\): let the user of CLICKHOUSE_USER`,
        ),
      ),
    },
  });
  await service.close();
});

describe('what a later try may mend is unavailable, what is wrong for good is internal', () => {
  const codeOf = async (failure: number) => {
    clickhouse.failure = failure;
    const database = openDatabase({
      ...env(),
      CLICKHOUSE_USER: 'u',
      CLICKHOUSE_PASSWORD: '',
      CLICKHOUSE_DATABASE: 'd',
    });
    const error = await database.insert('t', Buffer.from('[]\n')).catch((thrown) => thrown);
    await database.close();
    return error.code;
  };
  const TRANSIENT = {
    network: [3, 95, 96, 198, 203, 209, 210, 279, 364, 499],
    replication: [225, 232, 234, 242, 244, 254, 265, 285, 286, 289, 319, 369, 384, 416, 517, 519, 529, 571, 999],
    load: [159, 160, 201, 202, 241, 243, 252, 425, 439, 473, 745],
    'a server that is restored or stops': [60, 81, 164, 236, 394, 395, 733, 735],
  };
  test('by the code of ClickHouse', async () => {
    for (const [what, codes] of Object.entries(TRANSIENT))
      for (const code of codes) expect.soft([what, code, await codeOf(code)]).toEqual([what, code, 'unavailable']);
    for (const code of [6, 16, 47, 49, 62, 115, 210_000, 497])
      expect.soft([code, await codeOf(code)]).toEqual([code, 'internal']);
  });
});
