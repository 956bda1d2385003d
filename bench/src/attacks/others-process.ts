// The process that sends the requests of others; see others.ts. Each request has a due time that does not depend on the
// one before it, and its waiting time counts from then: real clients do not send fewer requests because a server is
// slow.
import { Pool } from 'undici';
import type { Order, OtherRequests, Samples, Waited } from './others.ts';

/** Differs from the attacker's address. */
const ADDRESS = '127.0.0.2';
const CONNECTIONS = 512;
const TIMEOUT_MS = 60_000;

let running: (() => Promise<Samples>) | undefined;

process.on('message', async (order: Order) => {
  if ('start' in order) running = start(order.start);
  else process.send!(await running!());
});
process.once('disconnect', () => process.exit());

function start(all: readonly OtherRequests[]): () => Promise<Samples> {
  // Not all in the same moment, in which they would wait for each other.
  const senders = all.map((requests, n) => ({ name: requests.name, stop: send(requests, n / all.length) }));
  return async () => {
    const samples = await Promise.all(senders.map(async ({ name, stop }) => [name, await stop()] as const));
    return Object.fromEntries(samples);
  };
}

/** `offset` is the part of `everyMs` after which the first request is sent. */
function send({ origin, method, paths, headers, body, everyMs }: OtherRequests, offset: number) {
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: { timeout: TIMEOUT_MS },
    localAddress: ADDRESS,
  });
  const pending = new Set<Promise<void>>();
  const samples: Waited[] = [];
  const began = performance.now() + offset * everyMs;
  let sent = 0;
  const sendOne = async (path: string, due: number) => {
    const outcome = await pool.request({ path, method, headers, body: body ?? null }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    samples.push([performance.now() - due, outcome]);
  };
  const sendDue = () => {
    for (; began + sent * everyMs <= performance.now(); sent++) {
      const one = sendOne(paths[sent % paths.length]!, began + sent * everyMs).finally(() => pending.delete(one));
      pending.add(one);
    }
  };
  const timer = setInterval(sendDue, Math.min(everyMs, 10));
  sendDue();
  return async (): Promise<Waited[]> => {
    clearInterval(timer);
    await Promise.all(pending);
    await pool.destroy();
    return samples;
  };
}
