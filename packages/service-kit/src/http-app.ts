import type { IncomingMessage } from 'node:http';
import { AppError } from '@waymark/contract';
import { isTracing } from '@waymark/proto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { addConnectionDraining } from './drain.ts';
import { REQUEST_HEADERS_MAX_BYTES } from './header-limits.ts';
import { failureOf, NOT_FOUND_MESSAGE, sendFailure } from './http-errors.ts';
import { RequestLog, type RequestRecord } from './http-log.ts';
import { httpServerFactory, type Interceptor } from './http-server.ts';
import { addHttpTracing } from './http-tracing.ts';
import { readJsonBodies } from './json-body.ts';
import type { Logger } from './logger.ts';
import { createHttpMetrics } from './metrics.ts';
import { answerClientError, answerUnknownExpectations, refuseWrongHost } from './node-refusals.ts';
import { parseQueryString } from './query-string.ts';
import { requestIdOf } from './request-id.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Begins the log line, metric and span of a request that an interceptor answers. */
    recordRequest(request: IncomingMessage, route: string): RequestRecord;
    /** From now on every answer asks its client to open a new connection, which a load balancer sends elsewhere. */
    drainConnections(): void;
    /** True from then on: an answer should ask for the end of its connection. */
    isDraining(): boolean;
  }
}

export interface HttpAppOptions {
  logger: Logger;
  /** The longest body that is read; 64 KiB unless given. */
  bodyLimitBytes?: number;
  /** The longest request line and headers that are read; 16 KiB unless given. */
  headersMaxBytes?: number;
  /** Whose `X-Forwarded-For` is believed: addresses and networks of proxies; nobody's unless given. */
  trustProxy?: string[];
  /** Where the metrics of the routes go. */
  registry?: Registry;
  /** Sees each request before Fastify. */
  intercept?: Interceptor;
}

const BODY_LIMIT_BYTES = 64 * 1024;
/** Longer than any slug or id; beyond it a path is unknown. */
const PARAMETER_MAX_LENGTH = 1024;
/** How long a client may take to send a request, headers and body: no request outlives five seconds. */
const REQUEST_TIMEOUT_MS = 4000;
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Longer than the idle time of the usual load balancers, so that they and not we close idle connections. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/**
 * The HTTP server of every service. Whatever goes wrong is answered as JSON with exactly one field, `error`
 * (docs/api.md, Errors): thrown `AppError`s with their status, an unknown path or method with 404, what cannot be read
 * with 422, a body over the limit with 413, anything else with 500 and its cause in the log only. A path is the same
 * with and without a slash at its end. Every answer has
 * `X-Request-Id`, which is also `request.id` and in every line of `request.log`. Bodies are JSON; an app that passes
 * bodies on unread calls `removeAllContentTypeParsers()` where it adds its own. Clients that do not read their responses
 * are cut ({@link boundUnsentBytes}).
 */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const bodyLimitBytes = options.bodyLimitBytes ?? BODY_LIMIT_BYTES;
  const requestLog = new RequestLog(options.registry && createHttpMetrics(options.registry));
  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger as FastifyInstance['log'],
    logController: requestLog,
    genReqId: (request) => requestIdOf(request.headers),
    http: {
      requireHostHeader: false,
      maxHeaderSize: options.headersMaxBytes ?? REQUEST_HEADERS_MAX_BYTES,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // Clients may offer to switch to another protocol (h2c): they are answered in HTTP/1.1.
      shouldUpgradeCallback: () => false,
    },
    serverFactory: httpServerFactory({
      intercept: options.intercept,
      registry: options.registry,
      keepAliveTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    }),
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(options.trustProxy === undefined || options.trustProxy.length === 0 ? {} : { trustProxy: options.trustProxy }),
    routerOptions: {
      querystringParser: parseQueryString,
      maxParamLength: PARAMETER_MAX_LENGTH,
      ignoreTrailingSlash: true,
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendFailure(failureOf(error, bodyLimitBytes), request, reply);
      request.log.info({ method: request.method, status: reply.statusCode }, 'request that could not be routed');
    },
    clientErrorHandler: answerClientError,
  });
  app.decorate('recordRequest', (request, route) => requestLog.begin(request, route, options.logger));
  if (isTracing()) addHttpTracing(app);
  readJsonBodies(app);
  answerUnknownExpectations(app.server);
  addConnectionDraining(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (!refuseWrongHost(request, reply)) done();
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, bodyLimitBytes);
    // What body an unknown path was sent does not matter: it stays unknown.
    const isOfBody = failure.code === 'invalid' || failure.code === 'too_large';
    return sendFailure(request.is404 && isOfBody ? unknownPath() : failure, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendFailure(unknownPath(), request, reply));
  return app;
}

function unknownPath(): AppError {
  return new AppError('not_found', NOT_FOUND_MESSAGE);
}
