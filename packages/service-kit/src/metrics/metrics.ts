import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { droppedLines } from '../logging/log-output.ts';

/** The metrics of a process, for Prometheus. */
export interface Metrics {
  registry: Registry;
  /** Records a gRPC call: rate, errors and duration of each method. Use it as `onCall` of a gRPC server. */
  observeCall(call: { method: string; code: string | number; durationMs: number }): void;
}

/** The metrics of an HTTP server: rate, errors and duration of each route. */
export interface HttpMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void;
}

/** From half a millisecond to five seconds, the limit for every response. */
export const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Each sample wakes the process. The default of 10 ms is expensive for an idle process. */
const EVENT_LOOP_SAMPLE_MS = 20;

/**
 * Creates the registry of a process, with Node's own metrics (memory, event loop, garbage collection). All metrics have
 * the label `service`.
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const calls = new Histogram({
    name: 'grpc_server_call_duration_seconds',
    help: 'Duration of gRPC calls, by method and status code.',
    labelNames: ['method', 'code'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that this process dropped because its standard output took none.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
  return {
    registry,
    observeCall: ({ method, code, durationMs }) => calls.labels(method, String(code)).observe(durationMs / 1000),
  };
}

/** Creates the metrics of an HTTP server in the registry. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  // A label lookup is more expensive than an observation, so each combination is looked up once. The map stays small:
  // routes and statuses are few, and methods are those that Node's parser knows. `last` saves building the name.
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

/**
 * Serves `GET /metrics` in Prometheus' text format, on a port of its own that need not be exposed to clients. Rejects
 * if it cannot listen.
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, json).end('{"error":"Not found: only GET /metrics is served here."}');
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
