import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../settings.ts';
import { headersOf, type Message } from './headers.ts';

export interface Streams {
  input: Readable;
  output: Writable;
  /** What people read: clients show it in their logs. */
  log(text: string): void;
  /** Ends the input. */
  signal: AbortSignal;
}

type Id = string | number | null;

/** The API responds within 5 seconds, and networks are slow. */
const RESPONSE_MAX_MS = 30_000;
/** The pauses before the next tries to connect. */
const PAUSES_MS = [250, 500, 1_000, 2_000];
/** Nothing was sent then, so that a repetition does nothing twice. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];
const PARSE_ERROR = -32700;
const SERVER_ERROR = -32000;

/**
 * Forwards each line of the input to the MCP endpoint, and writes each response as a line, until the input ends. A request
 * that gets no response is answered with an error that says why; the next one connects again.
 */
export async function runBridge(
  connectionOf: () => Promise<Connection>,
  { input, output, log, signal }: Streams,
): Promise<void> {
  /** What ends a request that the client cancels. */
  const sending = new Map<Id, AbortController>();
  const running = new Set<Promise<void>>();
  let revision: string | undefined;

  const write = async (message: unknown) => {
    if (!output.write(`${JSON.stringify(message)}\n`)) await once(output, 'drain');
  };

  async function handle(line: string): Promise<void> {
    const message = parsed(line);
    if (message === null) return write(errorOf(null, PARSE_ERROR, 'Parse error: the line is not valid JSON.'));
    const { id = null, method, params } = message;
    if (method === 'notifications/cancelled') sending.get(params?.requestId as Id)?.abort();
    const cancelling = new AbortController();
    if (id !== null) sending.set(id, cancelling);
    try {
      const response = await forward(await connectionOf(), line, headersOf(message, revision), cancelling.signal);
      if (method === 'initialize')
        revision = (response as { result?: { protocolVersion?: string } })?.result?.protocolVersion;
      if (response !== null) await write(response);
    } catch (error) {
      if (cancelling.signal.aborted) return;
      const reason = (error as Error).message;
      log(reason);
      for (const one of idsOf(line)) await write(errorOf(one, SERVER_ERROR, reason));
    } finally {
      sending.delete(id);
    }
  }

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal })) {
    if (line.trim() === '') continue;
    const handling = handle(line).finally(() => running.delete(handling));
    running.add(handling);
  }
  await Promise.all(running);
}

/**
 * Sends a message and returns the JSON of the response, or null if it has none.
 * @throws {Error} says for a person why there is none.
 */
async function forward(
  { url, key }: Connection,
  body: string,
  headers: Record<string, string>,
  cancelled: AbortSignal,
): Promise<unknown> {
  const endpoint = `${url}/mcp`;
  const response = await connected(endpoint, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body,
    signal: AbortSignal.any([cancelled, AbortSignal.timeout(RESPONSE_MAX_MS)]),
  });
  const text = await response.text().catch((error: unknown) => {
    throw new Error(`${endpoint} broke off its response: ${reasonOf(error)}.`);
  });
  if (text === '' && response.ok) return null;
  const json = parsed(text);
  if (json !== null && (Array.isArray(json) || 'jsonrpc' in json)) return json;
  if (response.status === 401) throw new Error(`${endpoint} does not accept the key: ${json?.error ?? 'status 401'}`);
  if (typeof json?.error === 'string') throw new Error(json.error);
  const location = response.headers.get('location');
  throw new Error(
    location === null
      ? `${endpoint} is not an MCP server of Waymark: it responded with status ${response.status}.`
      : `${endpoint} redirects to ${location}; use that address.`,
  );
}

async function connected(endpoint: string, init: RequestInit): Promise<Response> {
  for (let tries = 0; ; tries++) {
    try {
      return await fetch(endpoint, init);
    } catch (error) {
      const pauseMs = PAUSES_MS[tries];
      if (init.signal?.aborted || pauseMs === undefined || !NOT_CONNECTED.includes(codeOf(error)))
        throw new Error(`${endpoint} does not respond: ${reasonOf(error)}. Check the address, and that Waymark runs.`);
      await sleep(pauseMs);
    }
  }
}

function codeOf(error: unknown): string {
  const cause = (error as Error).cause as { code?: string } | undefined;
  return cause?.code ?? '';
}

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${RESPONSE_MAX_MS / 1000} seconds`;
  const cause = (error as Error).cause as Error | undefined;
  return codeOf(error) || cause?.message || (error as Error).message;
}

function parsed(text: string): (Message & { error?: unknown }) | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** Returns the ids of the requests in a message, which may be a batch. */
function idsOf(line: string): Id[] {
  const messages = [JSON.parse(line) as Message | Message[]].flat();
  return messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
}

function errorOf(id: Id, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
