import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { findFreePorts } from '../../../packages/stack/src/ports.ts';
import { checkRequirements } from '../src/database/requirements.ts';
import { startLinksProcess } from './support/links-process.ts';
import { connectToMongodb, mongodbUrl, mongodbUrlAt } from './support/mongodb-url.ts';
import { Service } from './support/service.ts';

/** The result of a check is kept for a moment. */
const WAIT = { timeout: 30_000 };
const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

let version: string;
beforeAll(async () => {
  const client = new MongoClient(mongodbUrl());
  version = (await client.db('admin').command({ buildInfo: 1 })).version;
  await client.close();
});

/** Starts a proxy to the MongoDB of the tests that replaces texts in responses by others of the same length. */
async function startDisguised(disguise: Record<string, string>): Promise<string> {
  const server = createServer((client) => {
    const upstream = connectToMongodb(mongodbUrl());
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      let bytes = chunk.toString('latin1');
      for (const [found, shown] of Object.entries(disguise)) bytes = bytes.replaceAll(found, shown);
      client.write(bytes, 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => server.close());
  return mongodbUrlAt(mongodbUrl(), (server.address() as { port: number }).port);
}

async function readyz(mongodbUrl: string) {
  const service = await Service.start({ mongodbUrl, untilReady: false });
  cleanups.push(() => service.close());
  const response = await fetch(`${service.origin}/readyz`);
  return { status: response.status, body: await response.json() };
}

async function startProcess(...args: Parameters<typeof startLinksProcess>) {
  const { child, end } = await startLinksProcess(...args);
  cleanups.push(end);
  return child;
}

describe('a MongoDB before 7.0', () => {
  const startOld = async () => {
    const old = `6${version.slice(1)}`;
    const line = `MongoDB is version ${old}; Waymark needs 7.0 or later: upgrade MongoDB.`;
    return { url: await startDisguised({ [`${version}\0`]: `${old}\0` }), line };
  };

  test.concurrent('is not ready, and /readyz names its version, the required one and what to do', async ({
    expect,
  }) => {
    const { url, line } = await startOld();
    expect(await readyz(url)).toEqual({ status: 503, body: { error: `Not ready: mongodb. ${line}` } });
  });

  test.concurrent('is reported in one log line at the start', async ({ expect }) => {
    const { url, line } = await startOld();
    const [port] = await findFreePorts(1, '127.0.0.1');
    const child = await startProcess('main.ts', url, { HTTP_PORT: String(port), LOG_LEVEL: 'error' });
    const log = text(child.stdout!);
    while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)) === null) await sleep(20);
    await sleep(1_500);
    child.kill('SIGTERM');
    const lines = (await log).split('\n').filter((one) => one.includes('MongoDB is version'));
    expect(lines.map((one) => JSON.parse(one).msg)).toEqual([line]);
  });

  test.concurrent('makes the migration exit with 1 and the same line', async ({ expect }) => {
    const { url, line } = await startOld();
    const child = await startProcess('migrate.ts', url);
    const [printed, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    expect({ printed, code }).toEqual({ printed: `links-svc: ${line}\n`, code: 1 });
  });
});

test.concurrent('an unreadable version is not ready', async ({ expect }) => {
  const shown = `v${version.slice(1)}`;
  const { status, body } = await readyz(await startDisguised({ [`${version}\0`]: `${shown}\0` }));
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      error: `Not ready: mongodb. The version that MongoDB announces, "${shown}", cannot be read; Waymark needs 7.0 or later: connect it to MongoDB itself.`,
    },
  });
});

test.concurrent('a standalone server is not ready, because a crash undoes acknowledged writes', async ({ expect }) => {
  const { status, body } = await readyz(await startDisguised({ setName: 'noName_' }));
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      error: `Not ready: mongodb. MongoDB ${version} is a standalone server; Waymark needs a replica set of at least one member: start mongod with --replSet.`,
    },
  });
});

test.concurrent('a clock that differs by more than a minute is not ready', async ({ expect }) => {
  const db = { command: async () => ({ version, setName: 'rs0', localTime: new Date(Date.now() + 61_500) }) };
  await expect(checkRequirements(db as never)).rejects.toThrow(
    /^The clocks of MongoDB and links-svc differ by 6[12] seconds; Waymark needs them within 60: synchronize both/,
  );
  const near = { command: async () => ({ version, setName: 'rs0', localTime: new Date(Date.now() - 50_000) }) };
  await checkRequirements(near as never);
});

test.concurrent('the MongoDB of the tests is ready', async ({ expect }) => {
  const service = await Service.start();
  cleanups.push(() => service.close());
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
});

test.concurrent('a database that was dropped is not ready until it is restored, since a slug could be taken twice', async ({
  expect,
}) => {
  const service = await Service.start();
  cleanups.push(() => service.close());
  const { migrations } = service.database.collections;
  const restored = await migrations.find({}).toArray();
  await service.database.run(() => migrations.deleteMany({}));
  const readiness = async () => {
    const response = await fetch(`${service.origin}/readyz`);
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  await expect
    .poll(readiness, WAIT)
    .toEqual([
      503,
      'Not ready: mongodb. MongoDB lacks collections that were there before: restore them, or restart links-svc, which creates empty ones.',
    ]);
  await service.database.run(() => migrations.insertMany(restored));
  await expect.poll(readiness, WAIT).toEqual([200, undefined]);
});
