import { context, propagation, trace } from '@opentelemetry/api';
import { enableTracing } from '@waymark/proto';
import type { Logger } from 'pino';

/** The tracing of a process, to be closed before the process exits. */
export interface Tracing {
  /** Sends the remaining spans, within the exporter's time limit. Never rejects. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 2_000;

/**
 * Sets up OpenTelemetry to send spans to a collector (OTLP over HTTP). Servers and clients that are created afterwards
 * are traced. Without an endpoint the OpenTelemetry SDK is not loaded. Spans that the collector does not accept are
 * dropped. No request waits for the collector.
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

/** Returns the id of the active trace for the log, or undefined if there is none. */
export function findTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
