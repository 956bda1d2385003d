import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('waymark');
let enabled = false;

/** Returns true if tracing is enabled. If not, the functions of this module only run the work. */
export function isTracing(): boolean {
  return enabled;
}

/** Enables tracing. Call it once, after OpenTelemetry is set up and before any server or client is created. */
export function enableTracing(): void {
  enabled = true;
}

type Attributes = Record<string, string | number>;

/**
 * Runs a call to another process in a client span. `work` gets the headers that it must send, so that the other process
 * continues the trace.
 */
export function inClientSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  return enabled ? clientSpan(name, attributes, work) : work({});
}

async function clientSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
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

/** Runs the handling of a call in a server span. Continues the caller's trace if the headers contain one. */
export function inServerSpan<Result>(
  name: string,
  attributes: Attributes,
  header: (name: string) => string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return enabled ? serverSpan(name, attributes, header, work) : work();
}

async function serverSpan<Result>(
  name: string,
  attributes: Attributes,
  header: (name: string) => string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, extract(header));
  try {
    return await context.with(trace.setSpan(ROOT_CONTEXT, span), work);
  } finally {
    span.end();
  }
}

/** Records on the active span how its call ended. */
export function setCallStatus(code: string, isFailure: boolean): void {
  if (!enabled) return;
  const span = trace.getActiveSpan();
  span?.setAttribute('rpc.response.status_code', code);
  if (isFailure) span?.setStatus({ code: SpanStatusCode.ERROR });
}

function extract(header: (name: string) => string | undefined) {
  return propagation.extract(ROOT_CONTEXT, null, { get: (_, name) => header(name), keys: () => [] });
}
