import { expect, test } from 'vitest';
import { batchSize } from './batch-size.ts';

test.each([
  ['{"id":1}', 1],
  ['[{"id":1},{"id":2}]', 2],
  [' \r\n\t[1,2,3]', 3],
  ['\uFEFF [1,2,3]', 3],
  ['[]', 1],
  ['[1,', 1],
  ['"[1,2]"', 1],
  ['', 1],
])('%j has %i', (body, size) => {
  expect(batchSize(Buffer.from(body))).toBe(size);
});

test('no body is one request', () => {
  expect(batchSize(undefined)).toBe(1);
});
