import { expect, test } from 'vitest';
import { countBulk, countMcp } from './request-count.ts';

test.each([
  ['{"id":1}', 1],
  ['[{"id":1},{"id":2}]', 2],
  [' \r\n\t[1,2,3]', 3],
  ['\uFEFF [1,2,3]', 3],
  ['[]', 1],
  ['[1,', 1],
  ['"[1,2]"', 1],
  ['null', 1],
  ['', 1],
])('%j has %i messages, none of which counts as a request', (body, size) => {
  expect(countMcp(Buffer.from(body))).toEqual({ messages: size, others: size, requests: 0 });
});

test.each([
  [{ method: 'tools/call', params: { name: 'get_me' } }, 1],
  [{ method: 'tools/call' }, 1],
  ['initialize', 0],
  ['tools/list', 0],
  ['ping', 0],
  ['notifications/initialized', 0],
  ['resources/list', 0],
])('only calls of tools count as requests: %j', (message, requests) => {
  const sent = typeof message === 'string' ? { method: message } : message;
  expect(countMcp(Buffer.from(JSON.stringify(sent)))).toEqual({ messages: 1, others: 1 - requests, requests });
});

test('a missing body is a message, and counts as one request over REST', () => {
  expect(countMcp(undefined)).toEqual({ messages: 1, others: 1, requests: 0 });
  expect(countBulk(undefined)).toBe(1);
});

const operations = (count: number) => ({ operations: Array.from({ length: count }, () => ({ op: 'delete' })) });
const call = (name: string, count: number) => ({
  method: 'tools/call',
  params: { name, arguments: operations(count) },
});

test('each operation of a bulk edit counts as one request, also in a batch and with an escaped name', () => {
  const count = (body: unknown) => countMcp(Buffer.from(JSON.stringify(body)));
  expect(count(call('bulk_edit_links', 7))).toEqual({ messages: 1, others: 0, requests: 7 });
  expect(count([call('bulk_edit_links', 7), call('get_me', 7), call('bulk_edit_links', 100)])).toEqual({
    messages: 3,
    others: 0,
    requests: 108,
  });
  const escaped = JSON.stringify(call('bulk_edit_links', 7)).replace('bulk_', 'bulk\\u005f');
  expect(countMcp(Buffer.from(escaped))).toEqual({ messages: 1, others: 0, requests: 7 });
});

test.each([
  [operations(1), 1],
  [operations(100), 100],
  [operations(101), 1],
  [operations(0), 1],
  [{ operations: 'x' }, 1],
  [null, 1],
])('the bulk body %# counts as its operations if there are 1 to 100, else as one request', (body, count) => {
  expect(countBulk(Buffer.from(JSON.stringify(body)))).toBe(count);
});
