import fc from 'fast-check';
import { expect, test } from 'vitest';
import { responseBody } from './response-body.ts';

const anything = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));

test('any result of a tool is in its response as text and as structured content', () => {
  fc.assert(
    fc.property(anything, anything, (content, others) => {
      const text = JSON.stringify(content);
      const result = { resultType: 'complete', _meta: others };
      const body = responseBody({ jsonrpc: '2.0', id: 7, result: { ...result, content: [] } }, text);
      expect(JSON.parse(body.toString())).toEqual({
        jsonrpc: '2.0',
        id: 7,
        result: {
          ...JSON.parse(JSON.stringify(result)),
          content: [{ type: 'text', text }],
          structuredContent: JSON.parse(text),
        },
      });
    }),
  );
});

test.each([
  { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'Link not found.' }], isError: true } },
  { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } },
])('a response without a tool result is plain JSON: %j', (response) => {
  expect(responseBody(response, undefined).toString()).toBe(JSON.stringify(response));
});

test('an error is plain JSON, even if a tool returned a result', () => {
  const response = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } };
  expect(responseBody(response, '{}').toString()).toBe(JSON.stringify(response));
});
