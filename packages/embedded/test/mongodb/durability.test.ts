import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Long, MongoClient, UUID } from 'mongodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ask, open } from './raw-connection.ts';

const MAIN = join(import.meta.dirname, '../../src/mongodb/main.ts');

let folder: string;
let child: ChildProcess | undefined;
let client: MongoClient | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
});
afterEach(async () => {
  await client?.close();
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts the server as a process, as `start` does, and returns its URL. */
async function start(): Promise<string> {
  child = spawn(process.execPath, ['--conditions=@waymark/source', MAIN], {
    env: { ...process.env, DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  expect(line).toBe(`mongodb://${encodeURIComponent(join(folder, 'mongodb.sock'))}/?directConnection=true`);
  return line;
}

async function reconnect(url: string): Promise<MongoClient> {
  await client?.close();
  client = new MongoClient(url, { serverSelectionTimeoutMS: 3000, retryWrites: false, maxPoolSize: 16 });
  return client.connect();
}

interface Link {
  _id: string;
  of: string;
}

const KILLS = 2;
/**
 * Kills the server twice among concurrent writers, each after some more writes. Returns which writes were
 * acknowledged, and a connection to the server that was started then.
 */
async function killed(writers: number, write: (connected: MongoClient, of: string) => Promise<unknown>) {
  const acknowledged = new Set<string>();
  for (let round = 0; round < KILLS; round += 1) {
    const connected = await reconnect(await start());
    await connected.db('durable').collection('links').createIndex({ of: 1 });
    const running = Array.from({ length: writers }, async (_, writer) => {
      try {
        for (let n = 0; ; n += 1) {
          const of = `${round}-${writer}-${n}`;
          await write(connected, of);
          acknowledged.add(of);
        }
      } catch {
        // the server was killed
      }
    });
    const enough = acknowledged.size + 20 * (round + 1);
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(enough), { timeout: 30_000, interval: 5 });
    child?.kill('SIGKILL');
    await connected.close(); // otherwise the writers repeat their transactions for two minutes
    await Promise.all(running);
  }
  const links = (await reconnect(await start())).db('durable').collection<Link>('links');
  return { acknowledged, links };
}

it('SIGKILL loses no acknowledged write, and others are stored completely or not at all', async () => {
  const { acknowledged, links } = await killed(16, (connected, of) =>
    connected.db('durable').collection<Link>('links').insertOne({ _id: of, of }),
  );
  const stored = new Set((await links.find().toArray()).map(({ _id }) => _id));
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  expect(stored.size - acknowledged.size).toBeLessThanOrEqual(KILLS * 16);
  expect(await links.countDocuments({ of: { $gt: '' } })).toBe(stored.size); // by the index
  await expect(links.insertOne({ _id: [...acknowledged][0]!, of: '' })).rejects.toMatchObject({ code: 11000 });
});

it('SIGKILL keeps transactions as a whole or not at all', async () => {
  const { acknowledged, links } = await killed(4, (connected, of) =>
    connected.withSession((session) =>
      session.withTransaction(async () => {
        const own = connected.db('durable').collection<Link>('links');
        for (let part = 0; part < 3; part += 1) await own.insertOne({ _id: `${of}-${part}`, of }, { session });
      }),
    ),
  );
  const stored = new Map<string, number>();
  for (const { of } of await links.find().toArray()) stored.set(of, (stored.get(of) ?? 0) + 1);
  expect(new Set(stored.values())).toEqual(new Set([3]));
  expect([...acknowledged].filter((of) => !stored.has(of))).toEqual([]);
  expect(stored.size - acknowledged.size).toBeLessThanOrEqual(KILLS * 4);
});

it('repeats the answer to a commit after a kill; an open transaction is unknown then', async () => {
  const begin = (number: number) => ({
    lsid: { id: new UUID() },
    txnNumber: Long.fromNumber(number),
    autocommit: false,
    $db: 'durable',
  });
  const [committed, opened] = [begin(1), begin(2)];
  const socket = await open(await start());
  const insert = (_id: number) => ({ insert: 'links', documents: [{ _id }], startTransaction: true });
  expect(await ask(socket, { ...insert(1), ...committed })).toMatchObject({ ok: 1, n: 1 });
  expect(await ask(socket, { commitTransaction: 1, ...committed })).toMatchObject({ ok: 1 });
  expect(await ask(socket, { ...insert(2), ...opened })).toMatchObject({ ok: 1, n: 1 });
  child?.kill('SIGKILL');
  const url = await start();
  const again = await open(url);
  expect(await ask(again, { commitTransaction: 1, ...committed })).toMatchObject({ ok: 1 });
  expect(await ask(again, { commitTransaction: 1, ...opened })).toMatchObject({
    code: 251,
    errorLabels: ['TransientTransactionError'],
  });
  const links = (await reconnect(url)).db('durable').collection<{ _id: number }>('links');
  expect(await links.find().toArray()).toEqual([{ _id: 1 }]);
});

it('stops cleanly on SIGTERM', async () => {
  const links = (await reconnect(await start())).db('durable').collection<{ _id: number }>('links');
  await links.insertOne({ _id: 1 });
  const ended = once(child as ChildProcess, 'exit');
  child?.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
