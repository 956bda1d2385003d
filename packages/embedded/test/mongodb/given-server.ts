import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Collection,
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
} from 'mongodb';
import { afterAll, beforeAll, expect } from 'vitest';
import { type MongoServer, startMongoServer } from '../../src/mongodb/server.ts';

/** Whether the tests run against the server at MONGODB_URL instead of the embedded one. */
export const isGiven = process.env.MONGODB_URL !== undefined;

export interface TestServer {
  client: MongoClient;
  db: Db;
  url: string;
  /** The data folder of the embedded server. */
  folder?: string;
  /** Returns a collection that no other test uses. */
  collection<T extends Document = Document>(): Collection<T>;
}

/** Starts the embedded server for a test file, or uses the one at MONGODB_URL, with a separate database. */
export function useServer(options: MongoClientOptions = {}): TestServer {
  let server: MongoServer | undefined;
  let folder: string | undefined;
  let last = 0;
  const test = {
    collection() {
      last += 1;
      return test.db.collection(`c${last}`);
    },
  } as TestServer;
  beforeAll(async () => {
    if (process.env.MONGODB_URL) test.url = process.env.MONGODB_URL;
    else {
      folder = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
      server = await startMongoServer({ dataDir: folder });
      test.url = server.url;
      test.folder = folder;
    }
    test.client = new MongoClient(test.url, { serverSelectionTimeoutMS: 5000, ...options });
    await test.client.connect();
    test.db = test.client.db(`waymark_test_${process.pid}_${Date.now()}`);
  });
  afterAll(async () => {
    await test.db?.dropDatabase();
    await test.client?.close();
    await server?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });
  return test;
}

/** Expects the server to refuse with this code, and returns the error. */
export async function refusal(promise: Promise<unknown>, code: number): Promise<MongoServerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, `expected error ${code}`).toBeInstanceOf(MongoServerError);
  expect((error as MongoServerError).code, (error as MongoServerError).message).toBe(code);
  return error as MongoServerError;
}
