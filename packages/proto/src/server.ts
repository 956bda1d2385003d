import { setMaxListeners } from 'node:events';
import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { fromBinary } from '@bufbuild/protobuf';
import type { Metadata, ServerUnaryCall, ServerWritableStream, sendUnaryData, UntypedHandleCall } from '@grpc/grpc-js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { AppError, type ErrorCode, INTERNAL_MESSAGE, toAppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { encode } from './encode.ts';
import { Health } from './gen/grpc/health/v1/health_pb.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { findMetadata, REQUEST_ID_HEADER, requestIdOr } from './metadata.ts';
import { statusOfError } from './status.ts';
import { inServerSpan, setCallStatus } from './tracing.ts';

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

/** The handlers of a service: one function per method, by its TypeScript name. */
export type Implementation<S extends DescService, Caller> = {
  [Name in keyof S['method']]: MethodImplementation<S['method'][Name], Caller>;
};

type MethodImplementation<M extends DescMethod, Caller> = M extends { methodKind: 'unary' }
  ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => Promise<MessageInitShape<M['output']>>
  : M extends { methodKind: 'server_streaming' }
    ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => AsyncIterable<MessageInitShape<M['output']>>
    : never;

export interface ServiceOptions<Caller> {
  /** Returns the caller. Throws an {@link AppError} `unauthenticated` if the caller is unknown. */
  authenticate: (metadata: Metadata) => Promise<Caller> | Caller;
  /** Called for every failed call, except if the client cancelled it. The error's `cause` is for the log. */
  onError?: (error: AppError, info: { method: string; requestId: string }) => void;
  /** Called at the end of every call. `method` is `package.Service/Method`. */
  onCall?: (info: { method: string; code: ErrorCode | 'ok' | 'cancelled'; durationMs: number }) => void;
}

export interface GrpcServerOptions {
  /** PEM. With `clientCa`, clients must present a certificate signed by it (mTLS). Without `tls`: plain text. */
  tls?: { cert: string | Buffer; key: string | Buffer; clientCa?: string | Buffer };
  /**
   * The age at which a connection is closed, so that clients connect to new replicas. Its calls have ten more seconds
   * to finish. Default: two minutes.
   */
  maxConnectionAgeMs?: number;
  /** Default: 8 MiB. */
  maxMessageBytes?: number;
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
 * deadline are rejected, except to the standard health service.
 */
export function createGrpcServer(options: GrpcServerOptions = {}): GrpcServer {
  const maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_connection_age_ms': options.maxConnectionAgeMs ?? 120_000,
    'grpc.max_connection_age_grace_ms': 10_000,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  const closing = new AbortController();
  // Every open stream without a deadline adds a listener, so Node must not warn about many of them.
  setMaxListeners(0, closing.signal);
  let closed: Promise<void> | undefined;

  return {
    addService(service, serviceOptions, implementation) {
      const definition: Record<string, ReturnType<typeof methodDefinition>> = {};
      const handlers: Record<string, UntypedHandleCall> = {};
      for (const method of service.methods) {
        const handle = implementation[method.localName as keyof typeof implementation] as (
          request: unknown,
          context: unknown,
        ) => never;
        const run = new MethodRunner(method, serviceOptions, maxMessageBytes);
        definition[method.localName] = methodDefinition(method);
        handlers[method.localName] =
          method.methodKind === 'unary'
            ? (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
                void run.unary(handle, call, callback);
              }
            : (call: ServerWritableStream<Buffer, Buffer>) => {
                void run.serverStreaming(handle, call, closing.signal);
              };
      }
      server.addService(definition, handlers);
    },
    listen(host, port) {
      return new Promise((resolve, reject) => {
        const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
        server.bindAsync(address, serverCredentials(options.tls), (error, boundPort) =>
          error ? reject(error) : resolve(boundPort),
        );
      });
    },
    close(deadlineMs) {
      closed ??= new Promise((resolve) => {
        closing.abort();
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
  return tls.clientCa === undefined
    ? ServerCredentials.createSsl(null, [pair])
    : ServerCredentials.createSsl(Buffer.from(tls.clientCa), [pair], true);
}

/** Returns a definition that passes bytes unchanged. {@link MethodRunner} encodes and decodes, and reports failures. */
function methodDefinition(method: DescMethod) {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: sameBytes,
    requestDeserialize: sameBytes,
    responseSerialize: sameBytes,
    responseDeserialize: sameBytes,
  };
}
function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}

type Handler = (request: unknown, context: CallContext<unknown>) => unknown;

/** The runner of all calls of one method. */
class MethodRunner<Caller> {
  readonly #name: string;
  readonly #input: DescMessage;
  readonly #output: DescMessage;
  readonly #deadlineRequired: boolean;
  readonly #options: ServiceOptions<Caller>;
  readonly #maxMessageBytes: number;

  constructor(method: DescMethod, options: ServiceOptions<Caller>, maxMessageBytes: number) {
    if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming')
      throw new TypeError(`${method.toString()}: streams from the client are not supported`);
    this.#name = `${method.parent.typeName}/${method.name}`;
    this.#input = method.input;
    this.#output = method.output;
    this.#deadlineRequired = method.parent.typeName !== Health.typeName;
    this.#options = options;
    this.#maxMessageBytes = maxMessageBytes;
  }

  unary(handle: Handler, call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): Promise<void> {
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': this.#name };
    const header = (name: string) => findMetadata(call.metadata, name);
    return inServerSpan(this.#name, attributes, header, () => this.#unary(handle, call, callback));
  }

  async #unary(handle: Handler, call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): Promise<void> {
    const context = new ServerCallContext<Caller>(call);
    try {
      const request = await this.#accept(call, context);
      const response = this.#encode(await handle(request, context));
      const cancelled = context.finish();
      callback(null, response);
      this.#report(context, cancelled ? 'cancelled' : 'ok');
    } catch (thrown) {
      const error = this.#fail(context, thrown);
      callback(statusOfError(error));
    }
  }

  async serverStreaming(
    handle: Handler,
    call: ServerWritableStream<Buffer, Buffer>,
    closing: AbortSignal,
  ): Promise<void> {
    const context = new ServerCallContext<Caller>(call);
    const onClosing = () => context.abort(new AppError('unavailable', UNAVAILABLE_MESSAGE));
    // A stream with a deadline may finish, like other calls.
    if (!context.hasDeadline) {
      if (closing.aborted) onClosing();
      closing.addEventListener('abort', onClosing, { once: true });
    }
    try {
      const request = await this.#accept(call, context);
      for await (const message of handle(request, context) as AsyncIterable<unknown>) {
        if (context.signal.aborted) break;
        if (!call.write(this.#encode(message))) await drained(call, context.signal);
      }
      if (context.signal.aborted) throw context.signal.reason;
      context.finish();
      call.end();
      this.#report(context, 'ok');
    } catch (thrown) {
      call.emit('error', statusOfError(this.#fail(context, thrown)));
    } finally {
      closing.removeEventListener('abort', onClosing);
    }
  }

  async #accept(call: { metadata: Metadata; request: Buffer }, context: ServerCallContext<Caller>): Promise<unknown> {
    if (this.#deadlineRequired && !context.hasDeadline)
      throw new AppError('invalid', 'The call has no deadline; set one.');
    context.caller = await this.#options.authenticate(call.metadata);
    try {
      return fromBinary(this.#input, call.request);
    } catch (cause) {
      throw new AppError('invalid', `The request is not a valid ${this.#input.typeName}.`, { cause });
    }
  }

  #encode(message: unknown): Buffer {
    const response = encode(this.#output, message);
    if (response.byteLength > this.#maxMessageBytes)
      throw new AppError('internal', INTERNAL_MESSAGE, {
        cause: new RangeError(`${this.#name}: a response of ${response.byteLength} bytes is too large`),
      });
    return response;
  }

  /** Reports a failure to `onError`, unless the client cancelled the call: then the handler is expected to throw. */
  #fail(context: ServerCallContext<Caller>, thrown: unknown): AppError {
    if (context.finish()) {
      this.#report(context, 'cancelled');
      return toAppError(thrown);
    }
    const error = context.timedOut
      ? new AppError('deadline_exceeded', UNAVAILABLE_MESSAGE, { cause: thrown })
      : toAppError(thrown);
    this.#options.onError?.(error, { method: this.#name, requestId: context.requestId });
    this.#report(context, error.code);
    return error;
  }

  #report(context: ServerCallContext<Caller>, code: ErrorCode | 'ok' | 'cancelled'): void {
    setCallStatus(code, code === 'internal' || code === 'unavailable' || code === 'deadline_exceeded');
    this.#options.onCall?.({ method: this.#name, code, durationMs: performance.now() - context.startedMs });
  }
}

/** The context of one call. The signal and the deadline are created only when a handler reads them. */
class ServerCallContext<Caller> implements CallContext<Caller> {
  caller!: Caller;
  readonly requestId: string;
  readonly startedMs = performance.now();
  readonly #deadlineMs: number;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #state: 'running' | 'cancelled' | 'timed out' | 'finished' = 'running';

  constructor(call: ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>) {
    this.requestId = requestIdOr(findMetadata(call.metadata, REQUEST_ID_HEADER));
    this.#deadlineMs = Number(call.getDeadline());
    // grpc-js emits this if the client disconnects or the deadline passes, and also after every response.
    call.on('cancelled', () => {
      if (this.#state !== 'running') return;
      this.#state = Date.now() >= this.#deadlineMs - CLIENT_AHEAD_MS ? 'timed out' : 'cancelled';
      this.abort(
        this.#state === 'timed out'
          ? new AppError('deadline_exceeded', UNAVAILABLE_MESSAGE)
          : new DOMException('The client cancelled the call.', 'AbortError'),
      );
    });
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get deadline(): Date {
    return new Date(this.hasDeadline ? this.#deadlineMs : MAX_DATE_MS);
  }

  get hasDeadline(): boolean {
    return Number.isFinite(this.#deadlineMs);
  }

  get timedOut(): boolean {
    return this.#state === 'timed out';
  }

  abort(reason: unknown): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }

  /** Marks the call as finished. Returns true if the client cancelled it before. */
  finish(): boolean {
    if (this.#state === 'running') this.#state = 'finished';
    return this.#state === 'cancelled';
  }
}

const MAX_DATE_MS = 8.64e15;

/**
 * A deadline is sent as the remaining time, so it passes on the client first, and the client ends the call. A call that
 * ends this shortly before its deadline counts as timed out.
 */
const CLIENT_AHEAD_MS = 50;

function drained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
