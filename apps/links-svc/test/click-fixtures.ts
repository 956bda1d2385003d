import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@waymark/contract';
import {
  analyticsV1,
  clicksFromMessage,
  createGrpcClient,
  createGrpcServer,
  type GrpcServer,
  type ReportedClick,
} from '@waymark/proto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach } from 'vitest';
import type { AnalyticsConnection } from '../src/clicks/analytics-client.ts';
import { type Click, clickOf } from '../src/clicks/click.ts';
import { type ClickSenderOptions, startClickSender } from '../src/clicks/click-sender.ts';
import { type ClickSpool, openClickSpool } from '../src/clicks/click-spool.ts';
import { NO_UTM } from '../src/clicks/utm.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

/** Registers a function that runs at the end of the test. The last one registered runs first. */
export function later(end: () => unknown): void {
  cleanups.push(end);
}

/** Creates a directory for this test only. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-spool-'));
  later(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Mounts a file system of this many MiB in memory and returns its path, or null if it cannot be mounted. */
export function smallDisk(mebibytes: number): string | null {
  const directory = temporaryDirectory();
  const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', directory];
  if (spawnSync('mount', options).status !== 0) return null;
  later(() => spawnSync('umount', ['--lazy', directory]));
  return directory;
}

/** Opens a spool and returns it with its log lines and its metrics. */
export function openSpool(directory: string, maxBytes = 1e9) {
  const lines: { level: number; msg: string; [name: string]: unknown }[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const registry = new Registry();
  const spool: ClickSpool = openClickSpool(directory, { maxBytes, logger, registry });
  later(() => spool.close());
  const metric = async (name: string): Promise<number> => {
    const { values } = await registry.getSingleMetric(name)!.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  return { spool, lines, logger, metric };
}

/** Stands for a links-svc in which no link was deleted. */
export const allExist = async (linkIds: string[]) => linkIds;

/** Starts to send the clicks of an opened spool, until the end of the test. */
export function startSending(
  { spool, logger }: Pick<ClickSenderOptions, 'spool' | 'logger'>,
  analytics: FakeAnalytics,
  options: Partial<Pick<ClickSenderOptions, 'gatherMs' | 'maxBatch' | 'existingLinks'>> = {},
) {
  const sender = startClickSender({
    spool,
    logger,
    analytics: analyticsOf(analytics),
    existingLinks: allExist,
    ...options,
  });
  later(() => sender.close(0));
  return sender;
}

export const CHILD = join(import.meta.dirname, 'click-child.ts');

/** Starts a process that appends clicks and kills it after a while. Returns the ids of its acknowledged clicks. */
export async function appendUntilKilled(directory: string, afterMs: number, port?: number): Promise<string[]> {
  const args = ['--conditions=@waymark/source', CHILD, directory, ...(port === undefined ? [] : [String(port)])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  let isTimed = false;
  child.stdout.on('data', (chunk) => {
    out += chunk;
    // The time starts after about 180 clicks, however long the process took to start and however slow it is.
    if (isTimed || out.length < 6_000) return;
    isTimed = true;
    setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL') throw new Error(`the process exited early: ${err}`);
  const lines = out.split('\n');
  lines.pop();
  return lines;
}

/** Returns a click of a browser on a link. */
export function newClick(linkId = 'link-1', headers: Record<string, string> = {}): Click {
  const { referer: referrer = '', ...others } = headers;
  const request = { method: 'GET', headers: { 'user-agent': 'Mozilla/5.0', ...others }, referrer, host: '', query: '' };
  return clickOf(
    request,
    { clicksId: linkId, accountId: 'account-1', utm: NO_UTM },
    { country: 'DE', visitor: '0123456789abcdef' },
    Date.now(),
  );
}

export const idsOf = (clicks: readonly { id: string }[]) => clicks.map(({ id }) => id);

/** A fake analytics-svc that keeps received clicks in memory, behind a real gRPC server. */
export interface FakeAnalytics {
  /** The link ids of clicks by click id, by batch token, as in a database that deduplicates by token. */
  batches: Map<string, Map<string, string>>;
  /** Every received batch, including repetitions. */
  received: { token: string; ids: string[]; maybeStored: boolean }[];
  /** Decides what happens to a batch. If it does not throw, the batch is acknowledged. */
  onBatch: (batch: { token: string; clicks: ReportedClick[] }) => void | Promise<void>;
  totalsRequested: string[][];
  /** Whether totals have every acknowledged click. */
  isComplete: boolean;
  port: number;
  /** Stops the server. `start` brings it back on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  allIds(): string[];
}

export async function startFakeAnalytics(): Promise<FakeAnalytics> {
  let server: GrpcServer | undefined;
  const fake: FakeAnalytics = {
    batches: new Map(),
    received: [],
    onBatch: () => {},
    totalsRequested: [],
    isComplete: true,
    port: 0,
    async start() {
      server = createGrpcServer();
      server.addService(
        analyticsV1.AnalyticsService,
        {
          authenticate: (metadata) => {
            if (metadata.get('x-waymark-identity')[0] !== 'signed')
              throw new AppError('unauthenticated', 'Who are you?');
          },
        },
        {
          recordClicks: async (request) => {
            const { batchToken: token, maybeStored } = request;
            const clicks = clicksFromMessage(request.clicks!);
            fake.received.push({ token, ids: idsOf(clicks), maybeStored });
            await fake.onBatch({ token, clicks });
            fake.batches.set(token, new Map(clicks.map(({ id, linkId }) => [id, linkId])));
            return { counted: clicks.length, notCounted: 0 };
          },
          getLinkTotals: async ({ linkIds }) => {
            fake.totalsRequested.push(linkIds);
            const clicked = [...fake.batches.values()].flatMap((batch) => [...batch.values()]);
            const totals = linkIds.map((linkId) => ({
              linkId,
              clicks: BigInt(clicked.filter((id) => id === linkId).length),
              lastClickedAt: { seconds: 1_800_000_000n, nanos: 123_000_000 },
            }));
            return { totals: totals.filter(({ clicks }) => clicks > 0n), complete: fake.isComplete };
          },
          listClicks: () => Promise.reject(new Error('the sender does not call ListClicks')),
          getAnalytics: () => Promise.reject(new Error('not called by links-svc')),
          purgeLinks: () => Promise.reject(new Error('not called by these tests')),
        },
      );
      fake.port = await server.listen('127.0.0.1', fake.port);
    },
    async stop() {
      await server?.close(0);
      server = undefined;
    },
    allIds: () => [...fake.batches.values()].flatMap((batch) => [...batch.keys()]),
  };
  await fake.start();
  later(() => fake.stop());
  return fake;
}

/** Returns a connection from links-svc to a fake analytics-svc. */
export function analyticsOf({ port }: { port: number }): AnalyticsConnection {
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: `127.0.0.1:${port}` });
  later(() => client.close());
  return { client, identity: async () => 'signed' };
}

/** Resolves when the condition is true. Throws after the timeout. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the condition was not true within ${timeoutMs} ms`);
}
