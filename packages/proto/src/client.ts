import { once } from 'node:events';
import {
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import {
  ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientWritableStream,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { AppError, toAppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { END_OF_REQUESTS, encode, MAX_MESSAGE_BYTES, nameOf, pathOf, sameBytes } from './messages.ts';
import { IDENTITY_HEADER, REQUEST_ID_HEADER, requestIdOr } from './metadata.ts';
import { brokeWhileWriting, errorOfStatus, isFromService } from './status.ts';
import { inClientSpan } from './tracing.ts';

export interface CallOptions {
  /** The time limit of the call, including retries. After it the call fails with `deadline_exceeded`. */
  timeoutMs: number;
  /** Sent with the call. If it is missing or malformed, a new id is sent. */
  requestId?: string;
  /** The signed identity of the caller on whose behalf this call is made. */
  identity?: string;
  /** Cancels the call on the client and on the server. */
  signal?: AbortSignal;
}

/** The options of a streaming call. The time limit is optional, because a stream may run forever. */
export type StreamOptions = Omit<CallOptions, 'timeoutMs'> & { timeoutMs?: number };

/**
 * A client with one function per method of the service, by its TypeScript name. Calls fail with an `AppError`, or with
 * a `TypeError` if `timeoutMs` is not finite. A stream of requests is read as fast as the server takes it, and no further
 * when the server has responded; an error that it throws cancels the call and is thrown unchanged.
 */
export type GrpcClient<S extends DescService> = {
  [Name in keyof S['method']]: ClientMethod<S['method'][Name]>;
} & {
  /** Resolves when a connection is established. Rejects with `unavailable` after `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>;
  /** Rejects new calls, and closes the connections after the running calls have ended. */
  close(): void;
};

type ClientMethod<M extends DescMethod> = M extends { methodKind: 'unary' }
  ? (request: MessageInitShape<M['input']>, options: CallOptions) => Promise<MessageShape<M['output']>>
  : M extends { methodKind: 'server_streaming' }
    ? (request: MessageInitShape<M['input']>, options: StreamOptions) => AsyncIterable<MessageShape<M['output']>>
    : M extends { methodKind: 'client_streaming' }
      ? (
          requests: AsyncIterable<MessageInitShape<M['input']>>,
          options: CallOptions,
        ) => Promise<MessageShape<M['output']>>
      : never;

export interface GrpcClientOptions {
  /** `host:port`, `dns:///host:port`, or a list of addresses such as `ipv4:10.0.0.1:50051,10.0.0.2:50051`. */
  address: string;
  /** PEM. With `cert` and `key`, the client presents a certificate (mTLS). Without `tls`, it connects in plain text. */
  tls?: { ca?: string | Buffer; cert?: string | Buffer; key?: string | Buffer };
  /** Default: 8 MiB. */
  maxMessageBytes?: number;
}

/**
 * Creates a typed client of a protobuf-es service over grpc-js. Calls are balanced over all addresses of the name. A
 * lost call is retried if the method's idempotency level allows it, or if the connected server did not start to process
 * it. The message of an `AppError` is public and names no host.
 */
export function createGrpcClient<S extends DescService>(service: S, options: GrpcClientOptions): GrpcClient<S> {
  const maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  const client = new Client(options.address, credentials(options.tls), channelOptions(service, maxMessageBytes));
  const methods: Record<string, unknown> = {
    ready: (timeoutMs: number) =>
      new Promise<void>((resolve, reject) => {
        client.waitForReady(Date.now() + timeoutMs, (cause) =>
          cause ? reject(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause })) : resolve(),
        );
      }),
    close: () => client.close(),
  };
  for (const method of service.methods) {
    const create = CREATE_METHOD[method.methodKind as keyof typeof CREATE_METHOD];
    methods[method.localName] = create(client, method, maxMessageBytes);
  }
  return methods as GrpcClient<S>;
}

const CREATE_METHOD = { unary: unaryMethod, server_streaming: streamMethod, client_streaming: uploadMethod };

function unaryMethod(client: Client, method: DescMethod, maxMessageBytes: number) {
  const name = nameOf(method);
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': name };
  return (request: unknown, options: CallOptions): Promise<unknown> =>
    inClientSpan(name, attributes, async (headers) => {
      const { timeoutMs, signal } = options;
      const deadline = deadlineAfter(timeoutMs);
      try {
        const bytes = encodeRequest(method, request, maxMessageBytes);
        const metadata = metadataOf(options, headers);
        let hasBegun = false;
        const send = () =>
          sendUnary(client, name, bytes, metadata, deadline, signal, () => {
            hasBegun = true;
          });
        const response = await send().catch((error) => {
          // grpc-js retries neither a call whose response has begun nor one whose connection broke while it was written.
          const isLeftToUs = isStatus(error) && (brokeWhileWriting(error) || (hasBegun && isLost(error)));
          if (isLeftToUs && isRetried(method) && !signal?.aborted) return send();
          throw error;
        });
        return fromBinary(method.output, response);
      } catch (error) {
        throw failureOf(error, signal);
      }
    });
}

/** Sends a request. Calls `onBegin` when the response begins. Rejects with the error of grpc-js. */
function sendUnary(
  client: Client,
  name: string,
  bytes: Buffer,
  metadata: Metadata,
  deadline: number,
  signal: AbortSignal | undefined,
  onBegin: () => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    requireOpen(client, signal);
    // grpc-js keeps the callback for a while after the call. The callback must not keep the response alive.
    let answer: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
    const onEnd = (error: ServiceError | null, response?: Buffer) => {
      const { resolve, reject } = answer!;
      answer = undefined;
      stopWatching();
      if (error) reject(error);
      else resolve(response!);
    };
    const call = client.makeUnaryRequest(`/${name}`, sameBytes, sameBytes, bytes, metadata, { deadline }, onEnd);
    call.on('metadata', onBegin);
    const stopWatching = cancelOnAbort(call, signal);
  });
}

function streamMethod(client: Client, method: DescMethod, maxMessageBytes: number) {
  return async function* (request: unknown, options: StreamOptions): AsyncGenerator<unknown> {
    const { timeoutMs, signal } = options;
    const limits = timeoutMs === undefined ? {} : { deadline: deadlineAfter(timeoutMs) };
    let stop = () => {};
    try {
      const bytes = encodeRequest(method, request, maxMessageBytes);
      requireOpen(client, signal);
      const path = pathOf(method);
      const call = client.makeServerStreamRequest(path, sameBytes, sameBytes, bytes, metadataOf(options), limits);
      const stopWatching = cancelOnAbort(call, signal);
      stop = () => {
        stopWatching();
        // A reader that stops early cancels the call; the status `cancelled` must not become an unhandled error.
        call.on('error', () => {});
        call.cancel();
      };
      for await (const message of call) yield fromBinary(method.output, message);
    } catch (error) {
      throw failureOf(error, signal);
    } finally {
      stop();
    }
  };
}

function uploadMethod(client: Client, method: DescMethod, maxMessageBytes: number) {
  const name = nameOf(method);
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': name };
  return (requests: AsyncIterable<unknown>, options: CallOptions): Promise<unknown> =>
    inClientSpan(name, attributes, async (headers) => {
      const { timeoutMs, signal } = options;
      const limits = { deadline: deadlineAfter(timeoutMs) };
      const metadata = metadataOf(options, headers);
      const { promise: response, resolve, reject } = Promise.withResolvers<Buffer>();
      const ended = new AbortController();
      try {
        requireOpen(client, signal);
      } catch (error) {
        throw failureOf(error, signal);
      }
      const call = client.makeClientStreamRequest(
        pathOf(method),
        sameBytes,
        sameBytes,
        metadata,
        limits,
        (error, bytes) => {
          ended.abort();
          if (error) reject(failureOf(error, signal));
          else resolve(bytes!);
        },
      );
      const stopWatching = cancelOnAbort(call, signal);
      sendAll(call, requests, (request) => encodeRequest(method, request, maxMessageBytes), ended.signal).catch(
        (error) => {
          reject(error);
          call.cancel();
        },
      );
      try {
        return fromBinary(method.output, await response);
      } finally {
        stopWatching();
      }
    });
}

/** Sends requests as fast as the call takes them, until the call has ended. Rejects with an error of `requests`. */
async function sendAll(
  call: ClientWritableStream<Buffer>,
  requests: AsyncIterable<unknown>,
  encode: (request: unknown) => Buffer,
  ended: AbortSignal,
): Promise<void> {
  for await (const request of requests) {
    if (ended.aborted) return;
    const bytes = encode(request);
    if (bytes.length === END_OF_REQUESTS.length) throw new RangeError('a request without fields would end the stream');
    if (!call.write(bytes)) await once(call, 'drain', { signal: ended }).catch(() => {});
  }
  if (!ended.aborted) call.end(END_OF_REQUESTS);
}

/** Throws what {@link failureOf} makes `unavailable`, if the call is cancelled already or the client is closed. */
function requireOpen(client: Client, signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
  if (client.getChannel().getConnectivityState(false) === connectivityState.SHUTDOWN)
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: new Error('the client is closed') });
}

/** Cancels the call when the signal aborts. Returns a function that stops watching the signal. */
function cancelOnAbort(call: { cancel(): void }, signal: AbortSignal | undefined): () => void {
  const cancel = () => call.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => signal?.removeEventListener('abort', cancel);
}

/** Returns the error for the caller: that of the signal if it aborted, or of the status that was received. */
function failureOf(error: unknown, signal: AbortSignal | undefined): AppError {
  if (signal?.aborted) return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: signal.reason });
  return isStatus(error) ? errorOfStatus(error) : toAppError(error);
}

function isStatus(error: unknown): error is ServiceError {
  return error instanceof Error && 'metadata' in error;
}

/** Returns true if the call failed on its way, and not in one of our services. */
function isLost(error: unknown): boolean {
  return isStatus(error) && !isFromService(error) && RETRIED_CODES.includes(error.code);
}

function metadataOf({ requestId, identity }: StreamOptions, headers: Record<string, string> = {}): Metadata {
  const metadata = new Metadata();
  metadata.set(REQUEST_ID_HEADER, requestIdOr(requestId));
  if (identity !== undefined) metadata.set(IDENTITY_HEADER, identity);
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function encodeRequest(method: DescMethod, request: unknown, maxMessageBytes: number): Buffer {
  const bytes = encode(method.input, request);
  if (bytes.byteLength > maxMessageBytes) throw new AppError('too_large', 'The request is too large.');
  return bytes;
}

function deadlineAfter(timeoutMs: number): number {
  if (!Number.isFinite(timeoutMs)) throw new TypeError('timeoutMs must be a number of milliseconds');
  return Date.now() + timeoutMs;
}

function credentials(tls: GrpcClientOptions['tls']): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const buffer = (pem: string | Buffer | undefined) => (pem === undefined ? null : Buffer.from(pem));
  return ChannelCredentials.createSsl(buffer(tls.ca), buffer(tls.key), buffer(tls.cert));
}

function channelOptions(service: DescService, maxMessageBytes: number): ChannelOptions {
  return {
    'grpc.service_config': JSON.stringify(serviceConfig(service)),
    // A DNS TXT record must not override our service config.
    'grpc.service_config_disable_resolution': 1,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.keepalive_permit_without_calls': 1,
    // Reconnects to a restarted service within a second or two, not after up to two minutes, gRPC's default.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.dns_min_time_between_resolutions_ms': 2_000,
    // A proxy for outgoing traffic must not be used for calls between our services.
    'grpc.enable_http_proxy': 0,
  };
}

/** `CANCELLED` comes from a server that was shut down by force. Calls that the client cancels are never retried. */
const RETRIED_CODES = [status.UNAVAILABLE, status.CANCELLED];

function isRetried({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/** Returns the gRPC service config (https://github.com/grpc/grpc/blob/master/doc/service_config.md). */
function serviceConfig(service: DescService) {
  const retried = service.methods
    .filter(isRetried)
    .map((method) => ({ service: service.typeName, method: method.name }));
  return {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig:
      retried.length === 0
        ? []
        : [
            {
              name: retried,
              retryPolicy: {
                maxAttempts: 4,
                initialBackoff: '0.1s',
                maxBackoff: '1s',
                backoffMultiplier: 3,
                retryableStatusCodes: RETRIED_CODES.map((code) => status[code]),
              },
            },
          ],
    // Retries stop if more than about a third of the attempts keep failing: an outage must not multiply the load.
    retryThrottling: { maxTokens: 100, tokenRatio: 0.5 },
  };
}
