import fc from 'fast-check';
import { expect, test } from 'vitest';
import { responseBody } from './response-body.ts';

const anything = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));

test('the result of a tool is in its response as text and as structured content, whatever is in it', () => {
  fc.assert(
    fc.property(anything, anything, (content, others) => {
      const text = JSON.stringify(content);
      const result = { resultType: 'complete', _meta: others, content: [{ type: 'text', text }] };
      const body = responseBody({ jsonrpc: '2.0', id: 7, result: { ...result, structuredContent: content } });
      expect(JSON.parse(body.toString())).toEqual({
        jsonrpc: '2.0',
        id: 7,
        result: { ...result, _meta: JSON.parse(JSON.stringify(others)), structuredContent: JSON.parse(text) },
      });
    }),
  );
});

test('a response without a tool’s result is its JSON', () => {
  const response = {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'Link not found.' }], isError: true },
  };
  expect(responseBody(response).toString()).toBe(JSON.stringify(response));
});
