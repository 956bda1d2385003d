import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('waymark');
let enabled = false;

/** Returns true if tracing is enabled. */
export function isTracing(): boolean {
  return enabled;
}

/** Enables tracing. Call it once, after OpenTelemetry is set up and before any server or client is created. */
export function enableTracing(): void {
  enabled = true;
}

type Attributes = Record<string, string | number>;

/**
 * Runs a call to another process in a client span if tracing is enabled. `work` gets the headers that it must send, so
 * that the other process continues the trace.
 */
export async function inClientSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  if (!enabled) return work({});
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
  const active = trace.setSpan(context.active(), span);
  const headers: Record<string, string> = {};
  propagation.inject(active, headers);
  try {
    return await context.with(active, () => work(headers));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Starts the span of a call that this process serves, and continues the trace of its headers. */
export function startServerSpan(name: string, attributes: Attributes, headers: Record<string, unknown>): Span {
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, propagation.extract(ROOT_CONTEXT, headers));
}

/** Ends the span of a call with what the call ended with. */
export function endServerSpan(span: Span, attributes: Attributes, hasFailed: boolean): void {
  span.setAttributes(attributes);
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Runs work in the context of a span, so that the calls that it makes and the lines that it logs belong to its trace. */
export function inSpan<Result>(span: Span, work: () => Result): Result {
  return context.with(trace.setSpan(ROOT_CONTEXT, span), work);
}
