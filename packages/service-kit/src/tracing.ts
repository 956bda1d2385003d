import { context, propagation, trace } from '@opentelemetry/api';
import { enableTracing } from '@waymark/proto';
import type { Logger } from 'pino';

/** What a process that traces must do before it ends. */
export interface Tracing {
  /** Sends the spans that are left, within the exporter's own time limit. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 2_000;

/**
 * Sets OpenTelemetry up to send spans to a collector (OTLP over HTTP), and says so to the servers and clients that are
 * made from now on. Without an endpoint nothing of OpenTelemetry's SDK is even loaded. Spans that the collector does not
 * take are dropped; no request waits for it.
 */
export async function startTracing(service: string, endpoint: string | undefined, logger: Logger): Promise<Tracing> {
  if (endpoint === undefined) return { close: async () => {} };
  const [{ AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, { OTLPTraceExporter }, resources, sdk] =
    await Promise.all([
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
    ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  enableTracing();
  return {
    async close() {
      try {
        await provider.shutdown();
      } catch (err) {
        logger.warn({ err }, 'the last spans could not be sent');
      }
    },
  };
}

/** The id of the trace that is running, for the log; undefined where none is. */
export function findTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
