import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    traceContext: Context | undefined;
  }
}

/**
 * Makes a span of each request but those of quiet routes, which goes on with the trace that the request's headers tell
 * of, and puts the trace's id into the request's log lines. It holds the route and never the path.
 */
export function addHttpTracing(app: FastifyInstance): void {
  const tracer = trace.getTracer('waymark');
  app.decorateRequest('traceContext', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = 'unknown', config } = request.routeOptions;
    if (config.quiet) return done();
    const route = request.is404 ? 'unknown' : url;
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'http.route': route, 'waymark.request_id': request.id },
      },
      propagation.extract(ROOT_CONTEXT, request.headers),
    );
    request.traceContext = trace.setSpan(ROOT_CONTEXT, span);
    request.log = request.log.child({ trace_id: span.spanContext().traceId });
    context.with(request.traceContext, done);
  });
  // The body arrives in events of the connection, which know nothing of the request's context: it is entered again.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.traceContext === undefined) done();
    else context.with(request.traceContext, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = request.traceContext && trace.getSpan(request.traceContext);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
