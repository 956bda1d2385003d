import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AttackedStack } from './attacked-stack.ts';

/** Requests of one kind that people who have no part in the attack send meanwhile. */
export interface OtherRequests {
  name: string;
  origin: string;
  method: 'GET' | 'POST';
  /** Sent in turns. */
  paths: readonly string[];
  headers: Record<string, string>;
  body?: string;
  expectedStatus: number;
  everyMs: number;
}

/** What became of one request: how long it waited, and its status, or why it has none. */
export type Waited = [ms: number, outcome: number | string];

/** By name of the requests. */
export type Samples = Record<string, Waited[]>;

/** From the parent: begin to send, or stop, wait for what is under way and report it. */
export type Order = { start: readonly OtherRequests[] } | { stop: true };

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const REDIRECT_EVERY_MS = 25;
/** Three kinds of requests with one key, which may make ten a second. */
const API_EVERY_MS = 400;
const LINKS = 20;

/**
 * The requests that every attack is measured by: redirects of the other account's links, through the gateway and straight
 * at links-svc, and what its key asks for.
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

/** A process that sends requests of others at a steady pace. */
export interface OthersProcess {
  start(requests: readonly OtherRequests[]): void;
  /** Stops, waits for what is under way, and returns what became of all requests since the start. */
  stop(): Promise<Samples>;
  close(): Promise<void>;
}

/** Starts the process: an event loop of its own, so that the attacker's does not count. */
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
