import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AttackedStack } from './attacked-stack.ts';

/** Requests of one kind that clients other than the attacker send during an attack. */
export interface OtherRequests {
  name: string;
  origin: string;
  method: 'GET' | 'POST';
  /** Requested in rotation. */
  paths: readonly string[];
  headers: Record<string, string>;
  body?: string;
  expectedStatus: number;
  everyMs: number;
}

/** The outcome of one request: how long it waited, and its status or error code. */
export type Waited = [ms: number, outcome: number | string];

/** Outcomes by the name of the requests. */
export type Samples = Record<string, Waited[]>;

/** A message from the parent: start sending, or stop, wait for pending requests and report. */
export type Order = { start: readonly OtherRequests[] } | { stop: true };

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const REDIRECT_EVERY_MS = 25;
/** Analytics take a tenth of a second of CPU, and two stacks share the machine. */
const API_EVERY_MS = 1_000;
const LINKS = 20;

/**
 * Returns the requests that are measured for every attack: redirects of the other account's links, through the gateway
 * and directly at links-svc, and API requests with the other account's key.
 */
export async function usualOthers({ gateway, linksHttp, other, createLink }: AttackedStack): Promise<OtherRequests[]> {
  const paths: string[] = [];
  for (let n = 0; n < LINKS; n++)
    paths.push(`/${await createLink(other.live, { destination_url: `https://example.org/${n}` })}`);
  const redirect = {
    method: 'GET',
    paths,
    headers: { 'user-agent': BROWSER },
    expectedStatus: 302,
    everyMs: REDIRECT_EVERY_MS,
  } as const;
  const ask = (path: string): OtherRequests => ({
    name: `GET ${path}`,
    origin: gateway,
    method: 'GET',
    paths: [path],
    headers: { authorization: `Bearer ${other.live}` },
    expectedStatus: 200,
    everyMs: API_EVERY_MS,
  });
  return [
    { ...redirect, name: 'redirect, gateway', origin: gateway },
    { ...redirect, name: 'redirect, links-svc', origin: linksHttp },
    ask('/api/v1/me'),
    ask('/api/v1/links'),
    ask('/api/v1/analytics'),
  ];
}

/** A process that sends the requests of others at a constant rate. */
export interface OthersProcess {
  start(requests: readonly OtherRequests[]): void;
  /** Stops sending, waits for pending requests, and returns the outcome of all requests since the start. */
  stop(): Promise<Samples>;
  close(): Promise<void>;
}

/** Starts the process. It has its own event loop, so that the attacker's load does not distort its times. */
export function startOthers(): OthersProcess {
  const child = spawn(process.execPath, [new URL('./others-process.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const order = (message: Order) => child.send(message);
  return {
    start: (start) => order({ start }),
    async stop() {
      const reported = once(child, 'message') as Promise<[Samples]>;
      order({ stop: true });
      const failed = exited.then(() => Promise.reject(new Error('the process of the other requests ended')));
      return (await Promise.race([reported, failed]))[0];
    },
    async close() {
      child.kill();
      await exited;
    },
  };
}
