import type { IncomingMessage } from 'node:http';
import { AppError } from '@waymark/contract';
import { isTracing } from '@waymark/proto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { addConnectionDraining } from '../connections/drain.ts';
import { respondBeforeBodyEnds } from '../connections/early-answers.ts';
import { httpServerFactory, type Interceptor } from '../connections/http-server.ts';
import type { Logger } from '../logging/logger.ts';
import { createHttpMetrics } from '../metrics/metrics.ts';
import { addHttpTracing } from '../tracing/http-tracing.ts';
import { clientAddress } from './client-address.ts';
import { FORWARDED_HEADERS_MAX_BYTES, REQUEST_HEADERS_MAX_BYTES } from './header-limits.ts';
import { failureOf, NOT_FOUND_MESSAGE, sendFailure } from './http-errors.ts';
import { RequestLog, type RequestRecord } from './http-log.ts';
import { readJsonBodies, refuseCompressedBodies } from './json-body.ts';
import { refuseWrongHost, respondToClientError, respondToUnknownExpectations } from './node-refusals.ts';
import { unparsedQuery } from './query-parameters.ts';
import { requestIdOf } from './request-id.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Starts the log line, metric and span of a request that an interceptor serves. */
    recordRequest(request: IncomingMessage, route: string): RequestRecord;
    /** Returns the address of the client of a request that an interceptor serves, as `request.ip` has it. */
    clientAddress(request: IncomingMessage): string;
    /** Makes every further response close its connection. A load balancer sends the next one to another process. */
    drainConnections(): void;
    /** Returns true once draining has begun. A response should then close its connection. */
    isDraining(): boolean;
  }
}

export interface HttpAppOptions {
  logger: Logger;
  /** The longest request body. Default: 64 KiB. */
  bodyLimitBytes?: number;
  /** The most bytes of a request line and headers. Default: 16 KiB. */
  headersMaxBytes?: number;
  /** The proxies whose `X-Forwarded-For` is trusted, as addresses and networks. Default: none. */
  trustProxy?: string[];
  /** The registry for the HTTP metrics. Without it nothing is measured. */
  registry?: Registry;
  /** Receives each request before Fastify. */
  intercept?: Interceptor;
  /** May answer a request whose path cannot be decoded, which no hook sees. Must not reject. Otherwise it gets 404. */
  answerUnroutable?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

const BODY_LIMIT_BYTES = 64 * 1024;
/** How long a client may take to send headers and body. With the check interval it stays below five seconds. */
const REQUEST_TIMEOUT_MS = 4000;
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** Longer than the idle timeout of common load balancers, so that they close idle connections, not this server. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/**
 * Creates the HTTP server of a service.
 * - Every error response is JSON with exactly one field, `error` (docs/api.md, Errors). A thrown `AppError` keeps its
 *   status. An unknown path or method gets 404, an unreadable body 422 and a body over the limit 413. An unknown error
 *   gets 500, with its cause in the log only.
 * - A slash at the end of a path is ignored.
 * - The query is parsed for routes that check it ({@link checkQueryParameters}), and for no others.
 * - Every response has `X-Request-Id`. The same id is `request.id` and is in every line of `request.log`.
 * - Bodies are JSON. An app that forwards bodies unread calls `removeAllContentTypeParsers()` and adds its own parser.
 * - A request can be refused before its body has arrived; the client still gets the response.
 * - Connections of clients that do not read their responses are closed ({@link limitUnreadResponses}).
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
      // Clients may offer to upgrade to another protocol (h2c). The response is HTTP/1.1 all the same.
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
    routerOptions: {
      querystringParser: unparsedQuery,
      // The headers bound it. A parameter may be a URL.
      maxParamLength: FORWARDED_HEADERS_MAX_BYTES,
      ignoreTrailingSlash: true,
    },
    frameworkErrors: async (error, request, reply) => {
      await options.answerUnroutable?.(request, reply);
      if (!reply.sent) sendFailure(failureOf(error, bodyLimitBytes), request, reply);
      request.log.info({ method: request.method, status: reply.statusCode }, 'request could not be routed');
    },
    clientErrorHandler: respondToClientError,
  });
  app.decorate('recordRequest', (request, route) => requestLog.begin(request, route, options.logger));
  const addressOf = clientAddress(options.trustProxy ?? []);
  app.decorate('clientAddress', addressOf);
  // Fastify's own `trustProxy` takes the port of an address in the header for a part of it.
  app.decorateRequest('ip', {
    getter() {
      return addressOf((this as FastifyRequest).raw);
    },
  });
  if (isTracing()) addHttpTracing(app);
  refuseCompressedBodies(app);
  readJsonBodies(app);
  respondToUnknownExpectations(app.server);
  addConnectionDraining(app);
  respondBeforeBodyEnds(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (!refuseWrongHost(request, reply)) done();
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, request.routeOptions.bodyLimit ?? bodyLimitBytes);
    // An unknown path gets 404, even if its body is invalid or too large.
    const isOfBody = failure.code === 'invalid' || failure.code === 'too_large';
    return sendFailure(request.is404 && isOfBody ? unknownPath() : failure, request, reply);
  });
  app.setNotFoundHandler((request, reply) => sendFailure(unknownPath(), request, reply));
  return app;
}

function unknownPath(): AppError {
  return new AppError('not_found', NOT_FOUND_MESSAGE);
}
