import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import type { Host } from '@waymark/contract';
import { startMongoServer } from '@waymark/embedded';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { MongoClient } from 'mongodb';
import { vi } from 'vitest';
import { runProgram } from '../../src/program.ts';

export const ADMIN = join(import.meta.dirname, '../../src/main.ts');
export const SIGNING_KEY = 'a signing key for the tests of the command line';
const LINKS_SVC = join(import.meta.dirname, '../../../links-svc/src/main.ts');

/** The environment variable of `vitest.shared.ts`, for processes that get no other variables of this one. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };

/** A running links-svc, as a process of its own. */
export interface LinksSvc {
  /** A folder for the files of the test. */
  directory: string;
  linksGrpc: string;
  /** Adds a short host with a key of the account, as the gateway forwards it. */
  addHost(username: string, host: string): Promise<Host>;
  /** The environment of the command line. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/** Starts a links-svc with a database of its own. */
export async function startLinksSvc(): Promise<LinksSvc> {
  const cleanUp: (() => unknown)[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'admin-'));
  cleanUp.push(() => rmSync(directory, { recursive: true }));
  let mongodbUrl = process.env.MONGODB_URL;
  if (!mongodbUrl) {
    const dataDir = join(directory, 'mongodb');
    const mongodb = await startMongoServer({ dataDir });
    cleanUp.push(() => mongodb.close());
    mongodbUrl = mongodb.url;
  }
  const database = `admin_test_${Date.now().toString(36)}`;
  cleanUp.push(async () => {
    const client = await MongoClient.connect(mongodbUrl);
    await client.db(database).dropDatabase();
    await client.close();
  });
  const linksSvc = spawn(process.execPath, ['--conditions=@waymark/source', LINKS_SVC], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      HOST: '127.0.0.1',
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      API_URL: 'https://api.example',
      MONGODB_URL: mongodbUrl,
      MONGODB_DATABASE: database,
      ANALYTICS_GRPC: '127.0.0.1:1',
      SPOOL_DIR: join(directory, 'spool'),
      SIGNING_KEY,
      // Nothing answers there.
      DNS_SERVERS: '127.0.0.1:1',
      ...COMPILE_CACHE,
    },
  });
  cleanUp.push(async () => {
    const ended = new Promise((resolve) => linksSvc.once('exit', resolve));
    linksSvc.kill('SIGKILL');
    await ended;
  });
  let output = '';
  const { port, address } = await new Promise<{ port: string; address: { port: number } }>((resolve, reject) => {
    linksSvc.once('exit', (code) => reject(new Error(`links-svc ended with ${code}: ${output}`)));
    linksSvc.stdout!.on('data', (data) => {
      output += data;
      const found = /"address":(\{.*?\}).*"grpc_port":(\d+)/s.exec(output);
      if (found !== null) resolve({ port: found[2]!, address: JSON.parse(found[1]!) });
    });
  });
  const linksGrpc = `127.0.0.1:${port}`;
  return {
    directory,
    linksGrpc,
    env: { LINKS_GRPC: linksGrpc, SIGNING_KEY, ...COMPILE_CACHE },
    async addHost(username, host) {
      const signer = createSigner({ current: SIGNING_KEY });
      const accounts = createGrpcClient(accountsV1.AccountsService, { address: linksGrpc });
      const identity = await signer.mint({ kind: 'service', service: 'admin' });
      const { account } = await accounts.getAccount({ username }, { timeoutMs: 30_000, identity });
      accounts.close();
      const owner = {
        kind: 'account',
        accountId: account!.id,
        username,
        plan: 'developer',
        scope: 'full_access',
      } as const;
      const response = await fetch(`http://127.0.0.1:${address.port}/api/v1/hosts`, {
        method: 'POST',
        headers: { 'x-waymark-identity': await signer.mint(owner), 'content-type': 'application/json' },
        body: JSON.stringify({ host }),
      });
      return (await response.json()) as Host;
    },
    async close() {
      for (const step of cleanUp.reverse()) await step();
    },
  };
}

export interface Outcome {
  status: number | null;
  out: string;
  err: string;
}

/**
 * Runs the command line in this process, which takes a hundredth of the time, and returns its exit code and output. One
 * run at a time: they share the environment and the standard streams.
 */
export async function runAdmin(args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    await runProgram(args);
    return { status: Number(process.exitCode ?? 0), out: written.stdout, err: written.stderr };
  } finally {
    process.exitCode = undefined;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs the command line as a process of its own. An abort of `interruption` is a Ctrl-C. */
export function spawnAdmin(
  args: readonly string[],
  env: Record<string, string>,
  interruption?: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--conditions=@waymark/source', ADMIN, ...args], { env });
    interruption?.addEventListener('abort', () => child.kill('SIGINT'));
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.once('close', (status) => resolve({ status, out, err }));
  });
}
