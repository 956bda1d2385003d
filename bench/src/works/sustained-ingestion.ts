import { setTimeout as sleep } from 'node:timers/promises';
import { processesCpuMs, residentBytes, threadsCpuMs } from '../cpu-time.ts';
import { INGESTION_ACCOUNT_ID } from '../data/new-clicks.ts';
import { drive } from '../load.ts';
import type { World } from '../world.ts';
import { BATCHES_AT_ONCE, clickSender } from './click-sender.ts';

/** The largest batch that links-svc sends. */
const BATCH = 10_000;
const LINKS = 10_000;
/** Not counted: meanwhile code is compiled and heaps grow to their size. */
const WARM_UP_MS = 10_000;

/** The result of storing clicks for some time. */
export interface Sustained {
  seconds: number;
  clicks: number;
  clicksPerSecond: number;
  /** CPU time of one analytics-svc per click. */
  serviceCpuUs: number;
  /** CPU time of ClickHouse per click; null if it is not a process of this run. */
  databaseCpuUs: number | null;
  /** CPU time of the process that generates and sends the clicks, per click. */
  senderCpuUs: number;
  /** Of analytics-svc, sampled at equal intervals from start to end. */
  residentBytes: number[];
}

/**
 * Sends clicks in links-svc's largest batches, as many concurrently as analytics-svc stores, for the given time.
 * @throws if ClickHouse does not store each click exactly once.
 */
export async function sustainIngestion(world: World, { seconds = 60, samples = 7 } = {}): Promise<Sustained> {
  const sendClicks = clickSender(
    world,
    world.links.slice(0, LINKS).map(({ id }) => id),
  );
  const send = () => sendClicks(BATCH);
  const storedBefore = await countStored(world);
  const warmUp = await drive(send, { connections: BATCHES_AT_ONCE, durationMs: WARM_UP_MS, maxRequests: Infinity });

  const service = world.pidsOf('analytics-svc');
  const database = world.databasePids('clickhouse');
  const cpuMs = () => ({
    service: threadsCpuMs(service),
    database: processesCpuMs(database),
    sender: threadsCpuMs([process.pid]),
  });
  const before = cpuMs();
  const began = performance.now();
  const resident = [residentBytes(service)];
  const everyMs = (seconds * 1_000) / (samples - 1);
  const [latenciesMs] = await Promise.all([
    drive(send, { connections: BATCHES_AT_ONCE, durationMs: seconds * 1_000, maxRequests: Infinity }),
    (async () => {
      for (let sample = 1; sample < samples; sample++) {
        await sleep(began + sample * everyMs - performance.now());
        resident.push(residentBytes(service));
      }
    })(),
  ]);
  const tookMs = performance.now() - began;
  const after = cpuMs();

  const clicks = latenciesMs.length * BATCH;
  const stored = (await countStored(world)) - storedBefore;
  const sent = clicks + warmUp.length * BATCH;
  if (stored !== sent) throw new Error(`ClickHouse has ${stored} of ${sent} clicks`);
  const usPerClick = (of: keyof typeof before) => ((after[of] - before[of]) * 1_000) / clicks;
  return {
    seconds: tookMs / 1_000,
    clicks,
    clicksPerSecond: (clicks * 1_000) / tookMs,
    serviceCpuUs: usPerClick('service'),
    databaseCpuUs: database.length === 0 ? null : usPerClick('database'),
    senderCpuUs: usPerClick('sender'),
    residentBytes: resident,
  };
}

/** Formats the figures as text. */
export function sustainedLines(sustained: Sustained): string {
  const { seconds, clicks, clicksPerSecond, serviceCpuUs, databaseCpuUs, senderCpuUs, residentBytes } = sustained;
  const number = (value: number) => Math.round(value).toLocaleString('en');
  const us = (value: number | null) => (value === null ? 'not known' : `${value.toFixed(1)} µs`);
  return [
    `Sustained for ${number(seconds)} s: ${number(clicksPerSecond)} clicks a second into one analytics-svc (${number(clicks)} in batches of ${number(BATCH)}).`,
    `CPU for a click: analytics-svc ${us(serviceCpuUs)}, ClickHouse ${us(databaseCpuUs)}, sender ${us(senderCpuUs)}.`,
    `Resident memory of analytics-svc, start to end: ${residentBytes.map((bytes) => number(bytes / 1e6)).join(', ')} MB.`,
  ].join('\n');
}

async function countStored({ clickhouse }: World): Promise<number> {
  const result = await clickhouse.query({
    query: 'SELECT count() AS clicks FROM clicks WHERE account_id = {account:String}',
    query_params: { account: INGESTION_ACCOUNT_ID },
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ clicks: string | number }>();
  return Number(row!.clicks);
}
