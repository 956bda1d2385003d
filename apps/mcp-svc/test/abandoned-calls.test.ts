// What happens to tool calls whose clients leave before the response.
import { once } from 'node:events';
import type { Caller } from '@waymark/auth';
import type { CallContext } from '@waymark/proto';
import { expect, test, vi } from 'vitest';
import { modern, request } from './messages.ts';
import { startTestStack } from './test-stack.ts';

/** Starts a stack whose services answer no call, and collects the signals of the calls. */
async function startSilentStack() {
  const signals: AbortSignal[] = [];
  const silent = async (_request: unknown, { signal }: CallContext<Caller>): Promise<never> => {
    signals.push(signal);
    await once(signal, 'abort');
    throw signal.reason;
  };
  const stack = await startTestStack({
    accounts: { getMe: silent },
    links: { listLinks: silent, createLink: silent, updateLink: silent, deleteLink: silent, bulkEditLinks: silent },
    analytics: { getAnalytics: silent },
  });
  return { stack, signals };
}

/** The same call as clients of both kinds of revisions send it, and in a batch. */
function messagesOf(name: string, args: object): { body: unknown; headers: Record<string, string> }[] {
  const call = request('tools/call', { name, arguments: args });
  return [{ body: call, headers: {} }, { body: [call], headers: {} }, modern('tools/call', { name, arguments: args })];
}

/** Sends each of the messages, and leaves when the service has its call. Returns the signals of the calls. */
async function leaveDuring(name: string, args: object) {
  const { stack, signals } = await startSilentStack();
  for (const { body, headers } of messagesOf(name, args)) {
    const leaving = new AbortController();
    const before = signals.length;
    const sent = stack.send({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...stack.identity, ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    await vi.waitFor(() => expect(signals).toHaveLength(before + 1), { timeout: 30_000 });
    leaving.abort();
    await expect(sent).rejects.toThrow();
  }
  return { stack, signals };
}

test.each([
  ['get_analytics', { days: 31, include: 'hours' }],
  ['list_links', {}],
])('%s %j is cancelled at its service when the client has gone', async (name, args) => {
  const { stack, signals } = await leaveDuring(name, args);
  // Well before the deadline, whose reason would be an error of its own.
  await vi.waitFor(
    () => expect(signals.map(({ reason }) => (reason as Error)?.name)).toEqual(Array(3).fill('AbortError')),
    { timeout: 30_000 },
  );
  expect(stack.logs.filter(({ level }) => level === 'error')).toEqual([]);
});

test.each([
  ['create_link', { destination_url: 'https://example.com/' }],
  ['update_link', { id: 'l1', title: 'x' }],
  ['delete_link', { id: 'l1' }],
  ['bulk_edit_links', { operations: [{ op: 'delete', id: 'l1' }] }],
])('%s goes on when the client has gone', async (name, args) => {
  const { stack, signals } = await leaveDuring(name, args);
  // A cancelled call would be seen before the response to a later one.
  await stack.call('get_analytics', { days: 0 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
});
