import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    mongodbUrl: string;
  }
}

/** Provides the MongoDB at MONGODB_URL to the tests, or starts one for them. */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.MONGODB_URL;
  if (given) {
    project.provide('mongodbUrl', given);
    return undefined;
  }
  const { startMongoServer } = await import('@waymark/embedded');
  const dataDir = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
  const server = await startMongoServer({ dataDir });
  project.provide('mongodbUrl', server.url);
  return async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}
