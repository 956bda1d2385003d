import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Link } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { request } from '../support/world.ts';
import { type Answered, DocumentOracle } from './document-oracle.ts';
import { type FuzzRequest, fuzzRequests, isHttp, NOTE, SECRET } from './fuzz-requests.ts';

/** How many requests to send. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_500);
const AT_ONCE = 10;
/** Password hashing is slow by design, and floods of it are rejected. This many at once do not count as a flood. */
const PASSWORDS_AT_ONCE = 3;

let own: OwnStack;
let gateway: string;
let document: object;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
/** Links that exist or existed. */
const links: Pick<Link, 'id' | 'slug'>[] = [];
/** The ids of jobs. */
const jobs: string[] = [];

beforeAll(async () => {
  own = await startOwnStack({ env: { AUTH_FAILURES_PER_MINUTE: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'info' } });
  gateway = own.stack.urls.gateway;
  document = (await request<object>('/openapi.json', { base: gateway })).body;
  const slugs = (kind: string) => Array.from({ length: 5 }, (_, index) => `${kind}-${index}`);
  links.push(...(await own.createLinks(slugs('public'))));
  links.push(...(await own.createLinks(slugs('unlisted'), { visibility: 'unlisted' })));
  links.push(...(await own.createLinks(slugs('private'), { visibility: 'private' })));
  links.push(...(await own.createLinks(slugs('protected'), { password: SECRET })));
  expect(errorsLogged()).toEqual([]);
});
afterAll(async () => {
  agent.destroy();
  await own?.close();
});

test(
  `docs/api.md, Hostile input: ${REQUESTS} generated requests give no 5xx, no response outside the contract or the OpenAPI document, log no error and restart no process`,
  async () => {
    const oracle = new DocumentOracle(document);
    const logged = errorsLogged();
    const pids = pidsOf(own);
    const statuses = new Map<number, number>();
    let slowestMs = 0;
    let sent = 0;
    // Each problem is reported once, with the first request that shows it and the seed that reproduces it.
    const problems = new Map<string, { count: number; example: string }>();
    const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
    const requests = fuzzRequests(document);
    for (let round = 0; sent < REQUESTS; round += 1) {
      const waiting = fc.sample(requests, { seed: seed + round, numRuns: Math.min(500, REQUESTS - sent) });
      const lastPasswords: Promise<unknown>[] = Array.from({ length: PASSWORDS_AT_ONCE }, () => Promise.resolve());
      let passwords = 0;
      const sender = async () => {
        for (let fuzz = waiting.pop(); fuzz !== undefined; fuzz = waiting.pop()) {
          const asked = { ...fuzz, path: withLinks(fuzz.path) };
          sent += 1;
          let answering: ReturnType<typeof timed>;
          if (asked.body?.includes('password') === true) {
            const lane = passwords++ % PASSWORDS_AT_ONCE;
            answering = lastPasswords[lane]!.then(() => timed(asked));
            lastPasswords[lane] = answering;
          } else answering = timed(asked);
          const { answer, tookMs } = await answering;
          slowestMs = Math.max(slowestMs, tookMs);
          const problem = problemOf(oracle, asked, answer);
          if (problem !== undefined) {
            const known = problems.get(problem) ?? { count: 0, example: describe(asked, answer) + logOf(answer) };
            problems.set(problem, { ...known, count: known.count + 1 });
          }
          if (answer instanceof Error) continue;
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          remember(asked, answer);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
    }
    const reported = [...problems].map(([problem, { count, example }]) => `${count} × ${problem}, first:\n${example}`);
    expect(reported.join('\n\n'), `FUZZ_SEED=${seed}`).toBe('');
    expect(errorsLogged(logged)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    expect(pidsOf(own)).toEqual(pids);
    const table = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`${sent} requests (seed ${seed}), slowest ${Math.round(slowestMs)} ms; ${table.join(', ')}`);
    // Requests that are all rejected early would not test the code behind the validation.
    for (const status of [200, 201, 204, 302, 404, 422])
      expect(statuses.get(status), String(status)).toBeGreaterThan(0);
  },
  Math.max(120_000, REQUESTS * 60),
);

test('bytes that are not valid HTTP get a JSON error or are cut off, log no error, and no process restarts', async () => {
  const pids = pidsOf(own);
  const logged = errorsLogged();
  const line = fc.constantFrom(
    ...[
      'GET / HTTP/1.1',
      'POST /api/v1/links HTTP/1.1',
      'GET /api/v1/me HTTP/1.0',
      'GET /api/v1/me HTTP/9.9',
      'GET',
      'get / http/1.1',
    ],
    ...[
      'POST /api/v1/links HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5',
      'GET http://x/ HTTP/1.1',
      'OPTIONS * HTTP/1.1',
    ],
    ...[
      'CONNECT x:443 HTTP/1.1',
      'PRI * HTTP/2.0',
      '\x16\x03\x01\x02\x00\x01',
      'GET /\0 HTTP/1.1',
      'GET / HTTP/1.1\nHost: x',
      `GET /${'a'.repeat(20_000)} HTTP/1.1`,
    ],
  );
  const header = fc.constantFrom(
    ...[
      'Host: x',
      'Host: x\r\nHost: y',
      'Content-Length: -1',
      'Content-Length: 1e3',
      'Content-Length: 5',
      'Transfer-Encoding: gzip',
    ],
    ...[
      'Transfer-Encoding: chunked',
      'X: a\r\n b',
      ': x',
      'X Y: z',
      'Expect: 100-continue',
      'Expect: x',
      'Upgrade: websocket\r\nConnection: upgrade',
    ],
    ...[`X: ${'y'.repeat(20_000)}`, 'Authorization: Bearer \x01', 'Connection: close'],
  );
  const tail = fc.oneof(
    fc.constantFrom('', '{}', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  const bytes = fc
    .tuple(line, fc.array(header, { maxLength: 3 }), tail)
    .map(([first, rest, body]) => `${[first, ...rest].join('\r\n')}\r\n\r\n${body}`);
  const garbage = fc.uint8Array({ minLength: 1, maxLength: 4_000 }).map((sent) => Buffer.from(sent).toString('latin1'));
  // A request with some bytes changed.
  const damaged = fc
    .tuple(bytes, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 5 }))
    .map(([sent, changes]) => {
      const changed = Buffer.from(sent, 'latin1');
      for (const [at, byte] of changes) changed[at % changed.length] = byte;
      return changed.toString('latin1');
    });
  const anything = fc.oneof({ weight: 3, arbitrary: bytes }, garbage, damaged);
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
      for (const answer of await Promise.all(batch.map(sendBytes))) {
        const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
        if (answer !== '') expect(status, answer).toMatch(/^[1-4]\d\d$/);
        if (status?.startsWith('4')) {
          expect(answer).toMatch(/^content-type: application\/json/im);
          expect(answer).toMatch(/^x-request-id: /im);
        }
      }
    }),
    { numRuns: Math.min(100, Math.ceil(REQUESTS / 100)) },
  );
  expect(errorsLogged(logged)).toEqual([]);
  expect(pidsOf(own)).toEqual(pids);
});

test('docs/api.md, Logs: logs never hold a key, a password or a note', () => {
  for (const process of Object.values(own.stack.processes))
    for (const secret of [own.key, own.publicKey, SECRET, NOTE])
      expect(process.log().includes(secret), `${process.name}: ${secret}`).toBe(false);
});

/** Returns the lines of all errors that the services have logged, without those that are known. */
const errorsLogged = (known: readonly string[] = []) =>
  Object.values(own.stack.processes)
    .flatMap((process) => process.log().match(/^.*"level":"(error|fatal)".*$/gm) ?? [])
    .filter((line) => !known.includes(line));

const pidsOf = ({ stack }: OwnStack) =>
  Object.fromEntries(Object.entries(stack.processes).map(([name, { pid }]) => [name, pid]));

/** Sends a request and measures its duration. Resolves with the error if no response came. */
async function timed(asked: FuzzRequest): Promise<{ answer: Answered | Error; tookMs: number }> {
  const startedAt = performance.now();
  const answer = await send(asked).catch((error: Error) => error);
  return { answer, tookMs: performance.now() - startedAt };
}

/** Returns the log lines of a request that failed with a 5xx status, from all services. */
function logOf(answer: Answered | Error): string {
  if (answer instanceof Error || answer.status < 500) return '';
  const requestId = String(answer.headers['x-request-id']);
  const lines = Object.values(own.stack.processes).flatMap((process) => process.log().split('\n'));
  return lines.filter((line) => line.includes(requestId)).join('\n');
}

/** Returns what is wrong with a response, or undefined. */
function problemOf(oracle: DocumentOracle, asked: FuzzRequest, answer: Answered | Error): string | undefined {
  if (answer instanceof Error) return `no answer: ${answer.message}`;
  const { status, headers, body } = answer;
  if (status >= 500) return `${status} at ${asked.path.split('?')[0]!.split('/').slice(0, 4).join('/')}`;
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(String(headers['x-request-id']))) return 'no X-Request-Id';
  if (status >= 400 && asked.method !== 'HEAD' && !isError(answer)) return 'not an error of exactly one field';
  // Node accepts 16 KiB of request line and headers. It also adds some headers itself.
  if (status === 431) return headLength(asked) > 15 * 1024 ? undefined : '431 for a short head';
  if (!isHttp(asked)) return status === 400 ? undefined : `${status} for bytes that are no HTTP`;
  if (status === 401 && headers['www-authenticate'] === undefined) return 'no WWW-Authenticate';
  if (status === 429 && headers['retry-after'] === undefined) return 'no Retry-After';
  if (body.includes(SECRET)) return 'a password is shown';
  const mustBeRefused = oracle.badParameter(asked) !== undefined || hasBadBody(oracle, asked);
  if (mustBeRefused && status < 400) return 'the document does not allow what was accepted';
  return oracle.difference(asked, answer);
}

function headLength({ path, key, headers }: FuzzRequest): number {
  return [path, key, ...Object.entries(headers).flat()].reduce((length, part) => length + part.length, 0);
}

function isError({ status, headers, body }: Answered): boolean {
  const type = String(headers['content-type']);
  // Redirects show HTML error pages to browsers.
  if (type.startsWith('text/html')) return [403, 404, 410, 429].includes(status);
  if (!type.startsWith('application/json')) return false;
  const parsed = JSON.parse(body.toString()) as { error?: unknown };
  return Object.keys(parsed).join() === 'error' && typeof parsed.error === 'string' && parsed.error !== '';
}

/** Checks whether the body is not JSON or violates the document. */
function hasBadBody(oracle: DocumentOracle, asked: FuzzRequest): boolean {
  const check = oracle.bodySchema(asked);
  // Malformed operations are refused one by one, in a response that is 200.
  if (check === undefined || asked.path === '/api/v1/links/bulk') return false;
  try {
    const body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(asked.body ?? Buffer.alloc(0)));
    return !check(asked.method === 'POST' ? withoutNulls(body) : body);
  } catch {
    return true;
  }
}

/** Removes null fields, because null in a creation means the same as a missing field. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function withLinks(path: string): string {
  return path
    .replace(/@(id|slug)\/(\d+)/, (_, name: 'id' | 'slug', index: string) => links[Number(index) % links.length]![name])
    .replace(/@job\/(\d+)/, (_, index: string) => jobs[Number(index) % jobs.length] ?? 'unknown');
}

/** Remembers links and jobs that fuzzing created, so that later requests use them, too. */
function remember({ method, path }: FuzzRequest, { status, body }: Answered): void {
  if (method === 'POST' && path.startsWith('/api/v1/jobs') && (status === 200 || status === 202)) {
    const { id } = JSON.parse(body.toString()) as { id?: string };
    // A preview has none.
    if (id !== undefined) jobs.push(id);
    if (jobs.length > 40) jobs.shift();
  }
  if (method !== 'POST' || status !== 201) return;
  links.push(JSON.parse(body.toString()) as Link);
  if (links.length > 60) links.splice(Math.floor(Math.random() * 20), 1);
}

function send({ method, path, key, headers, body, isChunked }: FuzzRequest): Promise<Answered> {
  const keys: Record<string, string> = { live: `Bearer ${own.key}`, public: `Bearer ${own.publicKey}` };
  const authorization = key === 'none' ? undefined : (keys[key] ?? key);
  const sentLength =
    body === undefined
      ? undefined
      : isChunked
        ? ['transfer-encoding', 'chunked']
        : ['content-length', String(body.length)];
  const { hostname, port } = new URL(gateway);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        ...{ agent, hostname, port, method, path },
        headers: {
          ...headers,
          ...(authorization === undefined ? {} : { authorization }),
          ...(sentLength === undefined ? {} : { [sentLength[0]!]: sentLength[1] }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function sendBytes(bytes: string): Promise<string> {
  const { hostname, port } = new URL(gateway);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let answer = '';
    socket.setTimeout(300, () => socket.destroy());
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    // A closed connection is also a valid response.
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

function describe({ method, path, key, headers, body }: FuzzRequest, answer: Answered | Error): string {
  const answered = answer instanceof Error ? '' : `${answer.status} ${answer.body.toString().slice(0, 300)}`;
  const sent = `${method} ${path.slice(0, 300)} ${key.slice(0, 50)} ${JSON.stringify(headers).slice(0, 400)}`;
  return `${sent}\n${body?.toString('latin1').slice(0, 600)}\n${answered}`;
}
