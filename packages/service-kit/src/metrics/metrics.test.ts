import { afterEach, expect, test } from 'vitest';
import { createHttpMetrics, createMetrics, startMetricsServer } from './metrics.ts';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('the metrics server reports rate, errors and duration of routes and calls, and the metrics of the process', async () => {
  const metrics = createMetrics('test-svc');
  const http = createHttpMetrics(metrics.registry);
  http.observe('GET', '/api/v1/links/:id', 200, 3);
  http.observe('GET', '/api/v1/links/:id', 200, 7000);
  http.observe('GET', '/api/v1/links/:id', 404, 1);
  metrics.observeCall({ method: 'links.v1.LinksService/GetLink', code: 'ok', durationMs: 12 });
  const server = await startMetricsServer(metrics.registry, { host: '127.0.0.1', port: 0 });
  close = server.close;
  const url = `http://127.0.0.1:${server.port}`;
  const text = await (await fetch(`${url}/metrics`)).text();
  const route = 'service="test-svc",method="GET",route="/api/v1/links/:id"';
  expect(text).toContain(`http_request_duration_seconds_count{${route},status="200"} 2`);
  expect(text).toContain(`http_request_duration_seconds_bucket{le="0.005",${route},status="200"} 1`);
  expect(text).toContain(`http_request_duration_seconds_count{${route},status="404"} 1`);
  expect(text).toMatch(
    /grpc_server_call_duration_seconds_count\{service="test-svc",method="links.v1.LinksService\/GetLink",code="ok".*\} 1/,
  );
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  const other = await fetch(`${url}/`);
  expect([other.status, await other.json()]).toEqual([404, { error: expect.any(String) }]);
});
