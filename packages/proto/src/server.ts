import { once } from 'node:events';
import type { Http2Server } from 'node:http2';
import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { fromBinary } from '@bufbuild/protobuf';
import type { Metadata, ServerDuplexStream, ServerWritableStream, UntypedHandleCall } from '@grpc/grpc-js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';
import { AppError, type ErrorCode, toAppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { authenticateFirst, type MethodAuthentication } from './authenticate-first.ts';
import { Health } from './gen/grpc/health/v1/health_pb.ts';
import { END_OF_REQUESTS, encode, MAX_MESSAGE_BYTES, nameOf, pathOf, sameBytes } from './messages.ts';
import { findMetadata, REQUEST_ID_HEADER, requestIdOr } from './metadata.ts';
import { statusOfError } from './status.ts';
import { endServerSpan, inSpan, isTracing, startServerSpan } from './tracing.ts';
import { type ReachedLimit, UnknownConnections } from './unknown-connections.ts';

/** The context of a call, passed to its handler with the request. */
export interface CallContext<Caller> {
  readonly caller: Caller;
  readonly requestId: string;
  /**
   * Aborts if the client cancels or disconnects, or if the deadline passes. For a stream without a deadline, it also
   * aborts when the server closes.
   */
  readonly signal: AbortSignal;
  readonly deadline: Date;
}

/**
 * The handlers of a service: one function per method, by its TypeScript name. A stream of requests is received as fast as
 * its handler reads it. It throws if it ends before the client has sent all of it.
 */
export type Implementation<S extends DescService, Caller> = {
  [Name in keyof S['method']]: MethodImplementation<S['method'][Name], Caller>;
};

type MethodImplementation<M extends DescMethod, Caller> = M extends { methodKind: 'unary' }
  ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => Promise<MessageInitShape<M['output']>>
  : M extends { methodKind: 'server_streaming' }
    ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => AsyncIterable<MessageInitShape<M['output']>>
    : M extends { methodKind: 'client_streaming' }
      ? (
          requests: AsyncIterable<MessageShape<M['input']>>,
          context: CallContext<Caller>,
        ) => Promise<MessageInitShape<M['output']>>
      : never;

export interface ServiceOptions<Caller> {
  /**
   * Returns the caller of a method (`package.Service/Method`). Throws an {@link AppError}: `unauthenticated` if the caller is
   * unknown, `forbidden` if it may not call the method.
   */
  authenticate: (metadata: Metadata, method: string) => Promise<Caller> | Caller;
  /** Called for every failed call, except if the client cancelled it. The error's `cause` is for the log. */
  onError?: (error: AppError, info: { method: string; requestId: string }) => void;
  /** Called at the end of every call. `method` is `package.Service/Method`. */
  onCall?: (info: { method: string; code: ErrorCode | 'ok' | 'cancelled'; durationMs: number }) => void;
  /** Runs the handler of a call that has so many milliseconds left. Default: only the client and `signal` end it. */
  runInTime?: (timeMs: number, work: () => Promise<void>) => Promise<void>;
}

export interface GrpcServerOptions {
  /** PEM. With `clientCa`, clients must present a certificate signed by it (mTLS). Without `tls`: plain text. */
  tls?: { cert: string | Buffer; key: string | Buffer; clientCa?: string | Buffer };
  /**
   * The age from which on a connection takes no new calls, so that clients connect to new replicas. It is closed when its
   * calls have ended. Default: two minutes.
   */
  maxConnectionAgeMs?: number;
  /** Default: 8 MiB. */
  maxMessageBytes?: number;
  /** The most connections without an identity. Default: 1,000. */
  maxUnknownConnections?: number;
  /** Called when clients without an identity reach a limit, at most once a minute for each limit. */
  onLimit?: (reached: ReachedLimit) => void;
}

export interface GrpcServer {
  /** Adds a service. Call it before {@link listen}. */
  addService<S extends DescService, Caller>(
    service: S,
    options: ServiceOptions<Caller>,
    implementation: Implementation<S, Caller>,
  ): void;
  /** Binds to a host name or an address and a port (0: any free port). Returns the port. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Rejects new calls, ends streams that have no deadline, and waits for the other calls. Aborts calls that still run
   * after `deadlineMs`. Never throws. A second call returns the promise of the first one.
   */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Creates a grpc-js server for protobuf-es services. If a handler throws an `AppError`, the client gets one with the
 * same code and public message. For any other error it gets `internal`, without the error's own text. Calls without a
 * deadline are rejected, except to the standard health service. {@link UnknownConnections} bounds what clients cost that
 * `authenticate` does not know.
 */
export function createGrpcServer(options: GrpcServerOptions = {}): GrpcServer {
  const maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  const unknown = new UnknownConnections(
    options.maxUnknownConnections ?? MAX_UNKNOWN_CONNECTIONS,
    options.onLimit ?? (() => {}),
  );
  const methods = new Map<string, MethodAuthentication>();
  const { interceptor, callerOf } = authenticateFirst(methods, (connection) => unknown.showIdentity(connection));
  const server = new Server({
    interceptors: [interceptor],
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_connection_age_ms': options.maxConnectionAgeMs ?? 120_000,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  return {
    addService(service, serviceOptions, implementation) {
      const definition: Record<string, ReturnType<typeof definitionOf>> = {};
      const handlers: Record<string, UntypedHandleCall> = {};
      for (const method of service.methods) {
        const handle = implementation[method.localName as keyof typeof implementation] as Handler;
        definition[method.localName] = definitionOf(method);
        methods.set(pathOf(method), authenticationOf(method, serviceOptions));
        handlers[method.localName] = handlerOf(
          method,
          handle,
          serviceOptions,
          callerOf,
          maxMessageBytes,
          closing.signal,
        );
      }
      server.addService(definition, handlers);
    },
    listen(host, port) {
      return new Promise((resolve, reject) => {
        const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
        server.bindAsync(address, serverCredentials(options.tls), (error, boundPort) => {
          if (error) return reject(error);
          for (const http2Server of http2ServersOf(server)) unknown.applyTo(http2Server);
          resolve(boundPort);
        });
      });
    },
    close(deadlineMs) {
      closed ??= new Promise((resolve) => {
        closing.abort(new AppError('unavailable', UNAVAILABLE_MESSAGE));
        const timer = setTimeout(() => {
          server.forceShutdown();
          resolve();
        }, deadlineMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      return closed;
    },
  };
}

function serverCredentials(tls: GrpcServerOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
  const clientCa = tls.clientCa === undefined ? null : Buffer.from(tls.clientCa);
  return ServerCredentials.createSsl(clientCa, [pair], clientCa !== null);
}

/** Returns the HTTP/2 servers of a server. grpc-js keeps them to itself, and only they know connections and streams. */
function http2ServersOf(server: Server): Iterable<Http2Server> {
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
  return http2Servers.keys();
}

/** Returns a definition that passes bytes unchanged. On the wire, one response is a stream of one message. */
function definitionOf(method: DescMethod) {
  if (method.methodKind === 'bidi_streaming')
    throw new TypeError(`${method.toString()}: streams in both directions are not supported`);
  return {
    path: pathOf(method),
    requestStream: method.methodKind === 'client_streaming',
    responseStream: true,
    requestSerialize: sameBytes,
    requestDeserialize: sameBytes,
    responseSerialize: sameBytes,
    responseDeserialize: sameBytes,
  };
}

type Handler = (request: unknown, context: CallContext<unknown>) => Promise<unknown> | AsyncIterable<unknown>;
type Call = ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** The standard health service needs neither an identity nor a deadline. */
function isHealth(method: DescMethod): boolean {
  return method.parent.typeName === Health.typeName;
}

function authenticationOf<Caller>(
  method: DescMethod,
  { authenticate, onError, onCall }: ServiceOptions<Caller>,
): MethodAuthentication {
  const name = nameOf(method);
  return {
    authenticate: (metadata) => authenticate(metadata, name),
    needsIdentity: !isHealth(method),
    onRefused(error, metadata, durationMs) {
      onError?.(error, { method: name, requestId: requestIdOr(findMetadata(metadata, REQUEST_ID_HEADER)) });
      onCall?.({ method: name, code: error.code, durationMs });
    },
  };
}

/** Codes that are the server's fault, for its spans. */
const SERVER_FAULTS = ['internal', 'unavailable', 'deadline_exceeded'];

/** Returns the function that serves the calls of a method. */
function handlerOf<Caller>(
  method: DescMethod,
  handle: Handler,
  { onError, onCall, runInTime = (_timeMs, work) => work() }: ServiceOptions<Caller>,
  callerOf: (metadata: Metadata) => unknown,
  maxMessageBytes: number,
  closing: AbortSignal,
) {
  const name = nameOf(method);
  const hasOneResponse = method.methodKind !== 'server_streaming';
  const needsDeadline = !isHealth(method);

  async function respond(call: Call, requestId: string, deadlineMs: number, signal: AbortSignal): Promise<void> {
    if (needsDeadline && !Number.isFinite(deadlineMs))
      throw new AppError('invalid', 'The call has no deadline; set one.');
    const caller = callerOf(call.metadata);
    const deadline = new Date(Math.min(deadlineMs, MAX_DATE_MS));
    const context = { caller, requestId, signal, deadline };
    const result =
      'request' in call
        ? handle(decodeRequest(method.input, call.request), context)
        : handleAll(requestsOf(method.input, call), (requests) => handle(requests, context));
    const messages = hasOneResponse ? [await (result as Promise<unknown>)] : (result as AsyncIterable<unknown>);
    for await (const message of messages) {
      const bytes = encode(method.output, message);
      if (bytes.byteLength > maxMessageBytes)
        throw new RangeError(`${name}: a response of ${bytes.byteLength} bytes is too large`);
      signal.throwIfAborted();
      if (!call.write(bytes) && !hasOneResponse) await once(call, 'drain', { signal });
    }
    signal.throwIfAborted();
  }

  async function serve(call: Call, span?: Span): Promise<void> {
    const startedMs = performance.now();
    const requestId = requestIdOr(findMetadata(call.metadata, REQUEST_ID_HEADER));
    const deadlineMs = Number(call.getDeadline());
    const { signal, finish } = watchEnd(call, deadlineMs, closing);
    let code: ErrorCode | 'ok' | 'cancelled' = 'ok';
    try {
      const work = () => respond(call, requestId, deadlineMs, signal);
      await (Number.isFinite(deadlineMs) ? runInTime(deadlineMs - Date.now(), work) : work());
      finish();
      call.end();
    } catch (thrown) {
      finish();
      const { reason } = signal;
      const error =
        reason instanceof AppError ? new AppError(reason.code, reason.message, { cause: thrown }) : toAppError(thrown);
      // A handler is expected to throw when its client has gone.
      code = signal.aborted && !(reason instanceof AppError) ? 'cancelled' : error.code;
      if (code !== 'cancelled') onError?.(error, { method: name, requestId });
      call.emit('error', statusOfError(error));
    }
    onCall?.({ method: name, code, durationMs: performance.now() - startedMs });
    if (span) endServerSpan(span, { 'rpc.response.status_code': code }, SERVER_FAULTS.includes(code));
  }

  return (call: Call): void => {
    if (!hasOneResponse || !isTracing()) return void serve(call);
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': name };
    const span = startServerSpan(name, attributes, call.metadata.getMap());
    inSpan(span, () => void serve(call, span));
  };
}

function decodeRequest(schema: DescMessage, bytes: Buffer): unknown {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw new AppError('invalid', `The request is not a valid ${schema.typeName}.`, { cause });
  }
}

/**
 * Yields the requests of a stream. The call goes on after its end.
 * @throws {AppError} `invalid` if they end without {@link END_OF_REQUESTS}.
 */
async function* requestsOf(schema: DescMessage, call: ServerDuplexStream<Buffer, Buffer>): AsyncGenerator<unknown> {
  for await (const bytes of call.iterator({ destroyOnReturn: false })) {
    if (bytes.length === END_OF_REQUESTS.length) return;
    yield decodeRequest(schema, bytes);
  }
  throw new AppError('invalid', 'The requests ended before they were complete.');
}

/** Handles a stream of requests, and discards what the handler does not read: grpc-js's client would get no response. */
async function handleAll(requests: AsyncGenerator, handle: (requests: AsyncIterable<unknown>) => unknown) {
  // A handler that stops to read does not close the stream.
  const response = await handle({ [Symbol.asyncIterator]: () => ({ next: () => requests.next() }) });
  for await (const _rest of requests);
  return response;
}

/**
 * Returns the signal of a call, and a function that must be called when the call has ended by itself. The reason of the
 * signal is an `AppError`, unless the client cancelled the call or has gone.
 */
function watchEnd(call: Call, deadlineMs: number, closing: AbortSignal) {
  const controller = new AbortController();
  let isRunning = true;
  // grpc-js emits this if the client disconnects or the deadline passes, and also after every response.
  call.on('cancelled', () => {
    if (!isRunning) return;
    const isLate = Date.now() >= deadlineMs - CLIENT_AHEAD_MS;
    controller.abort(isLate ? new AppError('deadline_exceeded', UNAVAILABLE_MESSAGE) : undefined);
  });
  return {
    // When the server closes, a call without a deadline ends. Others may finish.
    signal: Number.isFinite(deadlineMs) ? controller.signal : AbortSignal.any([controller.signal, closing]),
    finish: () => {
      isRunning = false;
    },
  };
}

const MAX_DATE_MS = 8.64e15;
const MAX_UNKNOWN_CONNECTIONS = 1_000;

/**
 * A deadline is sent as the remaining time, so it passes on the client first, and the client ends the call. A call that
 * ends this shortly before its deadline counts as timed out.
 */
const CLIENT_AHEAD_MS = 50;
