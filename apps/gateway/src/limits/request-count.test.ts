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
])('%j has %i messages, and counts as one request for each', (body, size) => {
  expect(countMcp(Buffer.from(body))).toEqual({ messages: size, requests: size });
});

test('a missing body counts as one request', () => {
  expect(countMcp(undefined)).toEqual({ messages: 1, requests: 1 });
  expect(countBulk(undefined)).toBe(1);
});

const operations = (count: number) => ({ operations: Array.from({ length: count }, () => ({ op: 'delete' })) });
const call = (name: string, count: number) => ({
  method: 'tools/call',
  params: { name, arguments: operations(count) },
});

test('each operation of a bulk edit counts as one request, also in a batch and with an escaped name', () => {
  const count = (body: unknown) => countMcp(Buffer.from(JSON.stringify(body)));
  expect(count(call('bulk_edit_links', 7))).toEqual({ messages: 1, requests: 7 });
  expect(count([call('bulk_edit_links', 7), call('get_me', 7), call('bulk_edit_links', 100)])).toEqual({
    messages: 3,
    requests: 108,
  });
  const escaped = JSON.stringify(call('bulk_edit_links', 7)).replace('bulk_', 'bulk\\u005f');
  expect(countMcp(Buffer.from(escaped))).toEqual({ messages: 1, requests: 7 });
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
