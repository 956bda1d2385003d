import { randomBytes } from 'node:crypto';
import { AppError, messageWithWait, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { StackProcess } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNoFailures } from '../support/failures.ts';
import { HttpClient, type HttpRequest } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp.ts';
import { EMBEDDED_DATABASES, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { eventually, request } from '../support/world.ts';

// docs/api.md, Errors: if a database or a service is down, the response is 503 with Retry-After.
// Stops or freezes each dependency in turn. Whatever does not need it keeps working, readiness names it, and everything
// works again soon after its return, without another restart.
//
// For the long form, set HANGS=mongodb,clickhouse,links-svc: these dependencies also hang, instead of MongoDB alone.

const KNOWN = 'known';
const UNAVAILABLE_TOOL = messageWithWait(new AppError('unavailable', UNAVAILABLE_MESSAGE));

/** The kinds of requests by name, with the status that each has when everything works. */
const REQUESTS = {
  'the documentation': () => ({ path: '/docs', status: 200 }),
  'a known redirect': () => ({ path: `/${KNOWN}`, status: 302, headers: { 'user-agent': 'curl/8.0' } }),
  // Random, so that no cache knows it.
  'an unknown slug': () => ({ path: `/x${randomBytes(8).toString('hex')}`, status: 404 }),
  'a list': () => ({ path: '/api/v1/links', status: 200 }),
  'a new link': () => post('/api/v1/links', 201, { destination_url: 'https://example.com/' }),
  analytics: () => ({ path: '/api/v1/analytics', status: 200 }),
  list_links: () => tool('list_links'),
  get_analytics: () => tool('get_analytics'),
} satisfies Record<string, () => HttpRequest & { path: string; status: number }>;
type Kind = keyof typeof REQUESTS;
const KINDS = Object.keys(REQUESTS) as Kind[];
const ANALYTICS: Kind[] = ['analytics', 'get_analytics'];

/** The requests that fail without each dependency (docs/operations.md), and the service that `/readyz` names. */
const OUTAGES: { name: string; stops: Kind[]; named: string }[] = [
  {
    name: 'mongodb',
    stops: KINDS.filter((kind) => kind !== 'the documentation' && kind !== 'a known redirect'),
    named: 'links-svc',
  },
  { name: 'clickhouse', stops: ANALYTICS, named: 'analytics-svc' },
  { name: 'links-svc', stops: KINDS.filter((kind) => kind !== 'the documentation'), named: 'links-svc' },
  { name: 'analytics-svc', stops: ANALYTICS, named: 'analytics-svc' },
  { name: 'mcp-svc', stops: ['list_links', 'get_analytics'], named: 'mcp-svc' },
];
/** freshness.timed.test.ts lets each of them hang. */
const HANGS = (process.env.HANGS ?? 'mongodb').split(',');

function post(path: string, status: number, json: unknown) {
  const body = JSON.stringify(json);
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return { method: 'POST', path, status, body, headers };
}

function tool(name: string) {
  return post('/mcp', 200, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
}

let own: OwnStack;
const client = new HttpClient();
beforeAll(async () => {
  own = await startOwnStack(EMBEDDED_DATABASES);
  await own.createLinks([KNOWN]);
  await ask('a known redirect');
});
afterAll(async () => {
  client.close();
  await own?.close();
});

/**
 * Sends a request and returns `works`, `unavailable` (the 503 of the contract, or the tool result in its place), or a
 * description of anything else.
 */
async function ask(kind: Kind): Promise<string> {
  const { path, status, ...rest }: HttpRequest & { path: string; status: number } = REQUESTS[kind]();
  const { outcome, headers, body } = await client.send(`${own.stack.urls.gateway}${path}`, {
    ...rest,
    headers: { authorization: `Bearer ${own.key}`, ...rest.headers },
  });
  const failedTool = path === '/mcp' && outcome === '200' && body.includes('"isError":true');
  if (failedTool && body.includes(UNAVAILABLE_TOOL) && Number(headers['retry-after']) > 0) return 'unavailable';
  if (outcome === String(status) && !failedTool) return 'works';
  if (outcome !== '503') return `${outcome} ${body}`;
  const { error, ...more } = JSON.parse(body) as { error: string };
  return error === UNAVAILABLE_MESSAGE && Object.keys(more).length === 0 && Number(headers['retry-after']) > 0
    ? 'unavailable'
    : `503 ${body} ${headers['retry-after']}`;
}

const askAll = async () =>
  Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await ask(kind)] as const)));
const without = (stops: Kind[]) =>
  Object.fromEntries(KINDS.map((kind) => [kind, stops.includes(kind) ? 'unavailable' : 'works']));
const pids = () => Object.values(own.stack.processes).map(({ name, pid }) => [name, pid] as const);

/** Visits of all tests with and without a redirect. */
let answered = 0;
let lost = 0;

const ways = {
  down: {
    begin: (dependency: StackProcess) => dependency.stop(0),
    end: (dependency: StackProcess) => dependency.start(),
  },
  frozen: {
    begin: ({ pid }: StackProcess) => process.kill(pid!, 'SIGSTOP'),
    end: ({ pid }: StackProcess) => process.kill(pid!, 'SIGCONT'),
  },
};

test.each([
  ...OUTAGES.map((outage) => ({ ...outage, how: 'down' as const })),
  ...OUTAGES.filter(({ name }) => HANGS.includes(name)).map((outage) => ({ ...outage, how: 'frozen' as const })),
])(
  'while $name is $how, what does not need it works, and all of it works again afterwards',
  async ({ name, stops, named, how }) => {
    await eventually(async () => expect(await askAll()).toEqual(without([])));
    const others = pids().filter(([one]) => one !== name);
    const nextOrigin = roundRobin(own.stack.urls.gateway);
    const visitors = new RedirectLoad({ nextOrigin, slugs: [KNOWN], perSecond: 20 });

    try {
      await ways[how].begin(own.stack.processes[name]!);
      try {
        // Every request gets a response, even before the outage is detected.
        for (const [kind, outcome] of Object.entries(await askAll()))
          expect(outcome, kind).toMatch(/^(works|unavailable)$/);
        // The gateway knows a key for some time.
        await eventually(async () => expect(await askAll()).toEqual(without(stops)));
        expect(await askAll()).toEqual(without(stops));
        await eventually(async () => {
          const ready = await request<{ error: string }>('/readyz', { base: own.stack.urls.gateway });
          expect([ready.status, ready.body.error]).toEqual([503, expect.stringContaining(named)]);
        });
        expect((await request('/startupz', { base: own.stack.urls.gateway })).status).toBe(200);
      } finally {
        await ways[how].end(own.stack.processes[name]!);
      }

      await eventually(async () => {
        expect(await askAll()).toEqual(without([]));
        expect((await request('/readyz', { base: own.stack.urls.gateway })).status).toBe(200);
      });
      expect(pids().filter(([one]) => one !== name)).toEqual(others);
    } finally {
      await visitors.stop();
    }
    if (stops.includes('a known redirect')) expect([...visitors.others.keys()]).toEqual(['503']);
    else expectNoFailures(visitors.others, own.stack);
    // A request without a redirect may still be a click: a frozen process finishes its work when it resumes.
    answered += visitors.answered.size;
    lost += visitors.asked.size - visitors.answered.size;
    await eventually(async () => {
      const { clicks } = await own.analytics();
      expect(clicks).toBeGreaterThanOrEqual(answered);
      expect(clicks).toBeLessThanOrEqual(answered + lost);
    });
  },
);

// A tool returns a generic error, without hosts, stack traces or keys. The log has the cause with the request id.

interface Reply {
  result: { isError?: boolean; content: { text: string }[] };
}

const callTool = (name: string, requestId = 'failures') =>
  request<Reply>('/mcp', {
    method: 'POST',
    key: own.key,
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } },
    headers: { 'x-request-id': requestId },
    base: own.stack.urls.gateway,
  });

const isAnswered = (tool: string) =>
  eventually(async () => expect((await callTool(tool)).body.result?.isError).toBeUndefined());

test.each([
  ['links-svc', 'list_links'],
  ['analytics-svc', 'get_analytics'],
])('while %s is frozen, %s says so, and no more; then it works again', async (service, tool) => {
  // Also puts the key into the gateway's cache, because a frozen links-svc cannot look it up.
  await isAnswered(tool);
  const { pid } = own.stack.processes[service]!;
  const requestId = `frozen-${tool}`;
  process.kill(pid!, 'SIGSTOP');
  try {
    const { status, body } = await callTool(tool, requestId);
    expect(status).toBe(200);
    expect(body.result).toEqual({
      isError: true,
      content: [{ type: 'text', text: `${UNAVAILABLE_TOOL} Request id: ${requestId}` }],
    });
    expectNothingRevealed(body);
  } finally {
    process.kill(pid!, 'SIGCONT');
  }
  // Log lines are buffered for some milliseconds, so they may arrive after the response.
  await eventually(async () => {
    const lines = own.stack.processes['mcp-svc']!.log().split('\n');
    const failure = lines.find((line) => line.includes(requestId) && line.includes('"level":"error"'));
    expect(JSON.parse(failure ?? '{}')).toMatchObject({ tool, err: { message: expect.stringMatching(/\S/) } });
    expect(failure).not.toContain(own.key);
  });
  await isAnswered(tool);
});

test('while mcp-svc is down, a client of the SDK gets a tool result; then it works again', async () => {
  const mcp = await connectMcp(own.key, own.stack.urls.gateway);
  await own.stack.processes['mcp-svc']!.stop(5_000);
  const { isError, text } = await mcp.call('list_links');
  expect([isError, text]).toEqual([true, UNAVAILABLE_TOOL]);
  await own.stack.processes['mcp-svc']!.start();
  await eventually(async () => expect((await mcp.call('list_links')).isError).toBe(false));
  await mcp.close();
});

function expectNothingRevealed(body: unknown): void {
  const text = JSON.stringify(body);
  for (const word of ['127.0.0.1', 'localhost', 'svc', 'Error:', '.js', own.key, 'deadline', 'ECONN'])
    expect(text).not.toContain(word);
  for (const { ports } of Object.values(own.stack.processes))
    for (const port of Object.values(ports)) expect(text).not.toContain(String(port));
}
