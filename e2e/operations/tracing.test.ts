import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Session } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSignInToken, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { eventually, request } from '../support/world.ts';

// Services send traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names. This test runs one in memory.

interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** OTLP SpanKind: 2 for server, 3 for client. */
  kind: number;
}
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

const spans: Span[] = [];
let exported = '';
let collector: Server;
let own: OwnStack;
beforeAll(async () => {
  collector = createServer(async (incoming, answer) => {
    let text = '';
    for await (const part of incoming.setEncoding('utf8')) text += part;
    exported += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as ExportRequest).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
    }
    answer.writeHead(incoming.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  own = await startOwnStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
});
afterAll(async () => {
  await own?.close();
  collector.closeAllConnections();
  collector.close();
});

/** Returns the path from the root of the trace down to the span, as `service: name`. */
function pathOf(span: Span): string[] {
  const path: string[] = [];
  for (let one: Span | undefined = span; one !== undefined; ) {
    path.unshift(`${one.service}: ${one.name}`);
    const parent: string | undefined = one.parentSpanId;
    one = spans.find(({ spanId }) => spanId === parent);
  }
  return path;
}

test('one create_link over MCP is one trace through gateway, mcp-svc, links-svc and MongoDB', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const fields = { destination_url: 'https://example.com/', slug: 'traced', note: 'a-note-4711' };
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_link', arguments: fields } };
  const headers = {
    accept: 'application/json, text/event-stream',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  };
  const answer = await request<{ result: { structuredContent: { slug: string } } }>('/mcp', {
    method: 'POST',
    key: own.key,
    json,
    headers,
    base: own.stack.urls.gateway,
  });
  expect(answer.body.result.structuredContent.slug).toBe('traced');

  await eventually(async () => {
    const inserted = spans.find((span) => span.traceId === traceId && span.name === 'insert links');
    expect(
      inserted && pathOf(inserted),
      spans.map((span) => `${span.traceId} ${span.service}: ${span.name}`).join('\n'),
    ).toEqual([
      'gateway: POST /mcp',
      'gateway: POST',
      'mcp-svc: POST /mcp',
      'mcp-svc: links.v1.LinksService/CreateLink',
      'links-svc: links.v1.LinksService/CreateLink',
      'links-svc: insert links',
    ]);
  });
  const log = own.stack.processes['mcp-svc']!.log();
  expect(log).toContain(`"trace_id":"${traceId}"`);
  for (const secret of [own.key, 'a-note-4711', 'eyJ']) expect(exported).not.toContain(secret);
});

test('no trace has the token of a sign-in link or a session, even if a client sends it as its request id', async () => {
  const token = await createSignInToken(own.stack);
  const base = own.stack.urls.gateway;
  const options = { method: 'POST', json: { token }, headers: { 'x-request-id': token }, base };
  const session = (await request<Session>('/api/v1/sessions', options)).body.token;
  await request(`/api/v1/links/${session}`, { key: session, headers: { 'x-request-id': session }, base });
  await request('/api/v1/sessions/current', { method: 'DELETE', key: session, base });
  await eventually(async () => expect(spans.map(({ name }) => name)).toContain('delete sessions'));
  for (const secret of [token, session]) expect(exported).not.toContain(secret.split('_')[1]);
});

test('a REST request that reads analytics is one trace into ClickHouse', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await request('/api/v1/analytics', { key: own.key, headers, base: own.stack.urls.gateway });
  await eventually(async () => {
    const query = spans.find((span) => span.traceId === traceId && span.name === 'clickhouse query');
    expect(query && pathOf(query)).toEqual([
      'gateway: GET /api/v1/analytics',
      'gateway: GET',
      'analytics-svc: GET /api/v1/analytics',
      'analytics-svc: clickhouse query',
    ]);
  });
});
