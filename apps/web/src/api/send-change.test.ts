import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const change = (init: RequestInit = {}) => new Request('http://localhost/api/v1/links', { method: 'POST', ...init });

/** How often a listener was told of an uncertain change. */
let uncertain = 0;
let respond: (signal: AbortSignal) => Promise<Response>;

beforeEach(async () => {
  vi.resetModules();
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', (_request: Request, { signal }: { signal: AbortSignal }) => respond(signal));
  const { onUncertainChange } = await import('./send-change.ts');
  uncertain = 0;
  onUncertainChange(() => {
    uncertain += 1;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const until = (signal: AbortSignal) =>
  new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

async function send(request = change()): Promise<Response> {
  const { sendChange } = await import('./send-change.ts');
  return sendChange(request, 30_000);
}

const broken = () =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
    pull: (controller) => controller.error(new TypeError('network error')),
  });

test.each([
  ['no response', () => Promise.reject(new TypeError('network')), 0],
  ['a response that breaks off', async () => new Response(broken(), { status: 201 }), 0],
  ['the page of something in between', async () => new Response('<h1>Log in</h1>'), 0],
  ['500', async () => Response.json({ error: 'A fault.' }, { status: 500 }), 500],
  ['502 of a proxy', async () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 502],
  ['503', async () => Response.json({ error: 'Busy.' }, { status: 503 }), 503],
  ['504 of a proxy', async () => new Response('', { status: 504 }), 504],
])('after %s, the change may have been made: the message says so', async (_name, answer, status) => {
  respond = answer;
  await expect(send()).rejects.toMatchObject({
    status,
    isUncertain: true,
    message: expect.stringContaining('may have been made'),
  });
  expect(uncertain).toBe(1);
});

test('a change that is not answered in time is uncertain', async () => {
  vi.useFakeTimers();
  respond = until;
  const sending = expect(send()).rejects.toMatchObject({ status: 0 });
  await vi.advanceTimersByTimeAsync(30_000);
  await sending;
  expect(uncertain).toBe(1);
});

test('a change that was stopped may have been made, and throws the reason', async () => {
  respond = until;
  const stopping = new AbortController();
  const sending = expect(send(change({ signal: stopping.signal }))).rejects.toMatchObject({ name: 'AbortError' });
  setTimeout(() => stopping.abort(), 50);
  await sending;
  expect(uncertain).toBe(1);
});

test.each([
  Response.json({ id: 'a' }, { status: 201 }),
  new Response(null, { status: 204 }),
  Response.json({ error: 'No.' }, { status: 422 }),
  new Response('<h1>Too large</h1>', { status: 413 }),
])('what is answered is certain', async (response) => {
  respond = async () => response;
  expect(await send()).toBe(response);
  expect(uncertain).toBe(0);
});
