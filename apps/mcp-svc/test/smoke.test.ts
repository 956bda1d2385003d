import { expect, test } from 'vitest';
import { startTestStack } from './stack.ts';

test('smoke', async () => {
  const s = await startTestStack();
  console.log(JSON.stringify(await s.call('get_me')));
  console.log(JSON.stringify(await s.call('update_link', { id: 'l1', title: null })));
  console.log(JSON.stringify(await s.call('nope')));
  const list = (await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text;
  console.log(list.length);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const h = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const m = await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }, h);
  console.log(m.status, m.text.length, m.text.slice(-400));
  const d = await s.post(
    { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } },
    { ...h, 'mcp-method': 'server/discover' },
  );
  console.log(d.status, d.text);
  const c = await s.post(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', _meta: meta } },
    { ...h, 'mcp-method': 'tools/call', 'mcp-name': 'get_me' },
  );
  console.log(c.status, c.text);
  const u = await s.post(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nope', _meta: meta } },
    { ...h, 'mcp-method': 'tools/call', 'mcp-name': 'nope' },
  );
  console.log(u.status, u.text);
  const x = await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nope', arguments: 7 } });
  console.log(x.status, x.text);
  const deep = '['.repeat(100000) + ']'.repeat(100000);
  const y = await s.post(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_link","arguments":{"destination_url":${deep}}}}`,
  );
  console.log(y.status, y.text.slice(0, 300));
  console.log(JSON.stringify(s.logs).slice(0, 3000));
  expect(1).toBe(1);
});
