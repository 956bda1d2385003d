import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What a process tells Prometheus. */
export interface Metrics {
  registry: Registry;
  /** For `onCall` of a gRPC server: rate, errors and duration of each method. */
  observeCall(call: { method: string; code: string | number; durationMs: number }): void;
}

/** Rate, errors and duration of each route. */
export interface HttpMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void;
}

/** From half a millisecond to the five seconds within which everything is answered. */
export const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Each sample wakes the process up: half of what an idle gateway used went into one in every 10 ms. */
const EVENT_LOOP_SAMPLE_MS = 20;

/** A registry of the process with Node's own metrics (memory, event loop, garbage collection), labelled `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const calls = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Duration of answered gRPC calls, by method and status code.',
    labelNames: ['method', 'code'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    observeCall: ({ method, code, durationMs }) => calls.labels(method, String(code)).observe(durationMs / 1000),
  };
}

/** The metrics of an HTTP server, in the registry. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of answered HTTP requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  // Looking labels up costs more than observing: each combination is looked up once, and not even its name is made where
  // it is that of the request before. Routes and statuses are few; methods are those that Node's parser knows.
  const known = new Map<string, Series>();
  let last: { method: string; route: string; status: number; series: Series } | undefined;
  function seriesOf(method: string, route: string, status: number): Series {
    if (last?.status === status && last.route === route && last.method === method) return last.series;
    const name = `${method} ${status} ${route}`;
    const series = known.get(name) ?? requests.labels(method, route, String(status));
    known.set(name, series);
    last = { method, route, status, series };
    return series;
  }
  return {
    observe: (method, route, status, durationMs) => seriesOf(method, route, status).observe(durationMs / 1000),
  };
}

interface Series {
  observe(value: number): void;
}

/** Serves `GET /metrics` in Prometheus' text format, on an address of its own that no client reaches. */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, json).end('{"error":"Not found: only GET /metrics is here."}');
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500, json).end('{"error":"The metrics could not be collected."}');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
