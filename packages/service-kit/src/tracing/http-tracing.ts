import type { IncomingHttpHeaders } from 'node:http';
import { type Context, context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { endServerSpan, isTracing, startServerSpan } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import { maskSecrets } from '../logging/logger.ts';

declare module 'fastify' {
  interface FastifyRequest {
    traceContext: Context | undefined;
  }
}

/** The parts of a request that its span needs. The path is not among them: it may hold private data. */
interface TracedRequest {
  method: string;
  route: string;
  requestId: string;
  headers: IncomingHttpHeaders;
}

/** Starts the span of a request. Continues the trace of its headers. Returns undefined if tracing is off. */
export function startRequestSpan({ method, route, requestId, headers }: TracedRequest): Span | undefined {
  if (!isTracing()) return undefined;
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    // Clients choose it.
    'waymark.request_id': maskSecrets(requestId),
  };
  return startServerSpan(`${method} ${route}`, attributes, headers);
}

/** Ends the span of a request with the status of its response. */
export function endRequestSpan(span: Span, status: number): void {
  endServerSpan(span, { 'http.response.status_code': status }, status >= 500);
}

/** Returns the log field with the trace id, or an empty object if there is no span. */
export function traceIdOf(span: Span | undefined): { trace_id?: string } {
  return span === undefined ? {} : { trace_id: span.spanContext().traceId };
}

/** Adds a span to each request, and its trace id to the request's log lines. Skips quiet routes. */
export function addHttpTracing(app: FastifyInstance): void {
  app.decorateRequest('traceContext', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = 'unknown', config } = request.routeOptions;
    if (config.quiet) return done();
    const { method, id: requestId, headers } = request;
    const span = startRequestSpan({ method, route: request.is404 ? 'unknown' : url, requestId, headers })!;
    request.traceContext = trace.setSpan(ROOT_CONTEXT, span);
    request.log = request.log.child(traceIdOf(span));
    context.with(request.traceContext, done);
  });
  // The body arrives in socket events, which do not carry the request's context. Enter the context again.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.traceContext === undefined) done();
    else context.with(request.traceContext, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = request.traceContext && trace.getSpan(request.traceContext);
    if (span !== undefined) endRequestSpan(span, reply.statusCode);
    done();
  });
}
