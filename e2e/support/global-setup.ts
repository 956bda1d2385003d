import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, startStack } from '@waymark/stack';
import type { TestProject } from 'vitest/node';
import { freePorts } from './free-ports.ts';
import { dropGivenDatabases } from './given-databases.ts';

/** The addresses and secrets of the running system that tests use. */
export interface RunningStack {
  publicUrl: string;
  signingKey: string;
  linksHttp: string;
  linksGrpc: string;
  analyticsHttp: string;
  analyticsGrpc: string;
  mcpHttp: string;
  mongodbUrl: string;
  clickhouseUrl: string;
  clickhouseLogin: Stack['clickhouseLogin'];
  /** Where links-svc looks for TXT records. A test that needs an answer starts a name server there. */
  dnsPort: number;
  /** The name of the database in MongoDB and in ClickHouse. */
  database: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stack: RunningStack;
  }
}

/** Starts one stack for all test files, on MONGODB_URL and CLICKHOUSE_URL if set, otherwise on embedded databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waymark-e2e-'));
  const database = `waymark_e2e_${randomBytes(4).toString('hex')}`;
  const [dnsPort] = await freePorts(1);
  const stack = await startStack({
    dataDir,
    env: {
      MONGODB_DATABASE: database,
      CLICKHOUSE_DATABASE: database,
      AUTO_META_ALLOW: '127.0.0.0/8',
      WEBHOOK_ALLOW: '127.0.0.0/8',
      // Tests fetch nothing by accident.
      HEALTH_CHECK_HOURS: '0',
      DNS_SERVERS: `127.0.0.1:${dnsPort}`,
      RATE_LIMIT_PER_MINUTE: '0',
      AUTH_FAILURES_PER_MINUTE: '0',
    },
  });
  project.provide('stack', {
    publicUrl: stack.publicUrl,
    signingKey: stack.signingKey,
    linksHttp: stack.urls.linksHttp,
    linksGrpc: stack.urls.linksGrpc,
    analyticsHttp: stack.urls.analyticsHttp,
    analyticsGrpc: stack.urls.analyticsGrpc,
    mcpHttp: stack.urls.mcpHttp,
    dnsPort: dnsPort!,
    mongodbUrl: stack.mongodbUrl,
    clickhouseUrl: stack.clickhouseUrl,
    clickhouseLogin: stack.clickhouseLogin,
    database,
  });
  return async () => {
    await stack.close();
    await rm(dataDir, { recursive: true, force: true });
    await dropGivenDatabases(database);
  };
}
