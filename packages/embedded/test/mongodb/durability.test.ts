import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Long, MongoClient, UUID } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, open } from './raw-connection.ts';

const CREDENTIALS = { DATABASE_USER: 'tests', DATABASE_PASSWORD: 'a password of the tests' };
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

async function start(): Promise<string> {
  child = spawn(process.execPath, ['--conditions=@waymark/source', MAIN], {
    env: { ...process.env, ...CREDENTIALS, DATA_DIR: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  expect(line).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+$/);
  const { DATABASE_USER, DATABASE_PASSWORD } = CREDENTIALS;
  return line.replace('//', `//${DATABASE_USER}:${encodeURIComponent(DATABASE_PASSWORD)}@`);
}

async function reconnect(url: string): Promise<MongoClient> {
  await client?.close();
  client = new MongoClient(url, { serverSelectionTimeoutMS: 3000, retryWrites: false, maxPoolSize: 16 });
  await client.connect();
  return client;
}

describe('durability', () => {
  it('keeps every acknowledged write when the process is killed with SIGKILL among concurrent writers', async () => {
    const acknowledged = new Set<string>();
    let increments = 0;
    for (let round = 0; round < 3; round += 1) {
      const db = (await reconnect(await start())).db('durable');
      const links = db.collection<{ _id: string; slug: string }>('links');
      const counters = db.collection<{ _id: string; n: number }>('counters');
      await links.createIndex({ slug: 1 }, { unique: true });
      const writers = Array.from({ length: 16 }, async (_, writer) => {
        try {
          for (let n = 0; ; n += 1) {
            const _id = `${round}-${writer}-${n}`;
            await links.insertOne({ _id, slug: _id });
            acknowledged.add(_id);
            await counters.updateOne({ _id: 'n' }, { $inc: { n: 1 } }, { upsert: true });
            increments += 1;
          }
        } catch {
          // the server was killed
        }
      });
      const enough = acknowledged.size + 50;
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(enough), { timeout: 20_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, round * 150));
      child?.kill('SIGKILL');
      await Promise.all(writers);
    }
    const db = (await reconnect(await start())).db('durable');
    const links = db.collection<{ _id: string; slug: string }>('links');
    const stored = new Set(
      await links
        .find()
        .map((link) => link._id)
        .toArray(),
    );
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    // Unacknowledged writes may be stored, but only completely: with their index entries, and counted.
    expect(stored.size - acknowledged.size).toBeLessThanOrEqual(3 * 16);
    expect(await links.countDocuments({ slug: { $gt: '' } })).toBe(stored.size);
    expect(await links.countDocuments({})).toBe(stored.size);
    const counter = await db.collection<{ _id: string; n: number }>('counters').findOne({ _id: 'n' });
    expect(counter?.n).toBeGreaterThanOrEqual(increments);
    expect(counter?.n).toBeLessThanOrEqual(increments + 3 * 16);
    await expect(links.insertOne({ _id: 'new', slug: [...acknowledged][0] as string })).rejects.toMatchObject({
      code: 11000,
    });
  });

  it('keeps transactions as a whole or not at all when the process is killed among concurrent writers', async () => {
    const acknowledged = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const connected = await reconnect(await start());
      const db = connected.db('durable');
      const links = db.collection<{ _id: string; of: string }>('links');
      const counters = db.collection<{ _id: string; n: number }>('counters');
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        try {
          for (let n = 0; ; n += 1) {
            const of = `${round}-${writer}-${n}`;
            await connected.withSession((session) =>
              session.withTransaction(async () => {
                const documents = Array.from({ length: 5 }, (__, part) => ({ _id: `${of}-${part}`, of }));
                await links.insertMany(documents, { session });
                await counters.updateOne({ _id: 'n' }, { $inc: { n: 5 } }, { upsert: true, session });
              }),
            );
            acknowledged.add(of);
          }
        } catch {
          // the server was killed
        }
      });
      const enough = acknowledged.size + 10;
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(enough), { timeout: 20_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, round * 150));
      child?.kill('SIGKILL');
      await connected.close(); // otherwise the writers repeat their transactions for two minutes
      await Promise.all(writers);
    }
    const db = (await reconnect(await start())).db('durable');
    const stored = new Map<string, number>();
    for (const { of } of await db.collection('links').find().toArray()) stored.set(of, (stored.get(of) ?? 0) + 1);
    expect([...stored.values()].every((count) => count === 5)).toBe(true);
    expect([...acknowledged].filter((of) => !stored.has(of))).toEqual([]);
    expect(stored.size - acknowledged.size).toBeLessThanOrEqual(3 * 4);
    expect((await db.collection('counters').findOne())?.n).toBe(stored.size * 5);
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

  it('stops cleanly on SIGTERM and finds its data again', async () => {
    const links = (await reconnect(await start())).db('durable').collection<{ _id: number }>('links');
    await links.insertOne({ _id: 1 });
    const ended = once(child as ChildProcess, 'exit');
    child?.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const again = (await reconnect(await start())).db('durable').collection<{ _id: number }>('links');
    expect(await again.findOne()).toEqual({ _id: 1 });
  });
});
