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

/** What a handler knows of its call besides the request. */
export interface CallContext<Caller> {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborts when the client cancels or is gone, when the deadline passes, and without a deadline when the server closes. */
  readonly signal: AbortSignal;
  readonly deadline: Date;
}

/** One function for each method of the service, by its name in TypeScript. */
export type Implementation<S extends DescService, Caller> = {
  [Name in keyof S['method']]: MethodImplementation<S['method'][Name], Caller>;
};

type MethodImplementation<M extends DescMethod, Caller> = M extends { methodKind: 'unary' }
  ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => Promise<MessageInitShape<M['output']>>
  : M extends { methodKind: 'server_streaming' }
    ? (request: MessageShape<M['input']>, context: CallContext<Caller>) => AsyncIterable<MessageInitShape<M['output']>>
    : never;

export interface ServiceOptions<Caller> {
  /** Who is calling; throws an {@link AppError} `unauthenticated` where nobody known is. */
  authenticate: (metadata: Metadata) => Promise<Caller> | Caller;
  /** Every failure but a call that the client cancelled. The error's `cause` is for the log. */
  onError?: (error: AppError, info: { method: string; requestId: string }) => void;
  /** Every call when it is over. `method` is `package.Service/Method`. */
  onCall?: (info: { method: string; code: ErrorCode | 'ok' | 'cancelled'; durationMs: number }) => void;
}

export interface GrpcServerOptions {
  /** PEM. With `clientCa` a client must show a certificate signed by it (mTLS). Plain text where not given. */
  tls?: { cert: string | Buffer; key: string | Buffer; clientCa?: string | Buffer };
  /**
   * Age at which a connection is asked to end, so that clients see new replicas; its calls may finish.
   * Default: two minutes.
   */
  maxConnectionAgeMs?: number;
  /** Default: 8 MiB. */
  maxMessageBytes?: number;
}

export interface GrpcServer {
  /** Adds a service; before {@link listen} only. */
  addService<S extends DescService, Caller>(
    service: S,
    options: ServiceOptions<Caller>,
    implementation: Implementation<S, Caller>,
  ): void;
  /** Binds to a host name or address and a port (0: any free one) and gives the port. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Takes no more calls, ends streams that have no deadline, lets the other calls finish, and cuts off what still runs
   * after the deadline. Never throws; a second call gives the first one's promise.
   */
  close(deadlineMs: number): Promise<void>;
}

/**
 * A grpc-js server for protobuf-es services. Whatever a handler throws reaches the client as an `AppError` of the
 * same code and public message; what is unknown as `internal`, with nothing of its own text. A call without a
 * deadline is refused, but for the standard health service.
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
  // Every open stream listens.
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

/** Bytes pass through grpc-js as they are: encoding happens in the handler, where a failure has a code and a log. */
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

/** What is the same for every call of one method. */
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
    // A stream that has a deadline comes to its end as other calls do.
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
      throw new AppError('invalid', 'The call has no deadline; every call needs one.');
    context.caller = await this.#options.authenticate(call.metadata);
    try {
      return fromBinary(this.#input, call.request);
    } catch (cause) {
      throw new AppError('invalid', `The request is no ${this.#input.typeName}.`, { cause });
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

  /** Reports a failure, but for a call whose client is gone: what that makes a handler throw is no news. */
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

/** The context of one call. What a handler may never ask for is made when it is asked for. */
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
    // grpc-js emits this for a client that is gone and for a deadline that passed, and after every answer too.
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

  /** Ends the call's state; true where the client had cancelled it. */
  finish(): boolean {
    if (this.#state === 'running') this.#state = 'finished';
    return this.#state === 'cancelled';
  }
}

const MAX_DATE_MS = 8.64e15;

/**
 * A deadline travels as the time that is left, so that it passes at the client first, which ends the call: what is ended so
 * shortly before its deadline has met it.
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
