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
  type ClientReadableStream,
  type ClientUnaryCall,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { AppError, INTERNAL_MESSAGE, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { encode } from './encode.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { IDENTITY_HEADER, REQUEST_ID_HEADER, requestIdOr } from './metadata.ts';
import { errorOfStatus, isFromService } from './status.ts';
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
 * a `TypeError` if `timeoutMs` is not finite.
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
    methods[method.localName] =
      method.methodKind === 'unary'
        ? unaryMethod(client, method, maxMessageBytes)
        : serverStreamingMethod(client, method, maxMessageBytes);
  }
  return methods as GrpcClient<S>;
}

function unaryMethod(client: Client, method: DescMethod, maxMessageBytes: number) {
  const path = pathOf(method);
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': path.slice(1) };
  return (request: unknown, options: CallOptions): Promise<unknown> =>
    inClientSpan(path.slice(1), attributes, (headers) => unaryCall(request, options, headers));

  /** Sends one call. A repeated call gets the deadline of the first one, as `repeatedUntil`. */
  function unaryCall(
    request: unknown,
    options: CallOptions,
    headers: Record<string, string>,
    repeatedUntil?: number,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) throw cancelled(signal);
      // grpc-js keeps the callback for a while after the call. The callback must not keep the response alive.
      let answer: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
      const bytes = encodeRequest(method, request, maxMessageBytes);
      const metadata = metadataOf(options);
      for (const name in headers) metadata.set(name, headers[name]!);
      const deadline = repeatedUntil ?? Date.now() + requireFinite(options.timeoutMs);
      const mayRepeat = repeatedUntil === undefined && isRetried(method);
      let hasBegun = false;
      const onEnd = (error: ServiceError | null, response?: Buffer) => {
        const { resolve, reject } = answer!;
        answer = undefined;
        signal?.removeEventListener('abort', onAbort);
        if (error && signal?.aborted) return reject(cancelled(signal));
        // The server died in the middle of its response: grpc-js does not retry a call whose response has begun.
        if (error && mayRepeat && hasBegun && !isFromService(error) && RETRIED_CODES.includes(error.code))
          return resolve(unaryCall(request, options, headers, deadline));
        if (error) return reject(errorOfStatus(error));
        try {
          resolve(decodeResponse(method, response!));
        } catch (failure) {
          reject(failure);
        }
      };
      let call: ClientUnaryCall;
      try {
        call = client.makeUnaryRequest(path, sameBytes, sameBytes, bytes, metadata, { deadline }, onEnd);
      } catch (cause) {
        throw closed(cause);
      }
      call.on('metadata', () => {
        hasBegun = true;
      });
      const onAbort = () => call.cancel();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function serverStreamingMethod(client: Client, method: DescMethod, maxMessageBytes: number) {
  const path = pathOf(method);
  return async function* (request: unknown, options: StreamOptions): AsyncGenerator<unknown> {
    const { signal } = options;
    if (signal?.aborted) throw cancelled(signal);
    const bytes = encodeRequest(method, request, maxMessageBytes);
    const metadata = metadataOf(options);
    const limits = options.timeoutMs === undefined ? {} : { deadline: Date.now() + requireFinite(options.timeoutMs) };
    let call: ClientReadableStream<Buffer>;
    try {
      call = client.makeServerStreamRequest(path, sameBytes, sameBytes, bytes, metadata, limits);
    } catch (cause) {
      throw closed(cause);
    }
    const onAbort = () => call.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const message of call) yield decodeResponse(method, message);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw signal?.aborted ? cancelled(signal) : errorOfStatus(error as ServiceError);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      // A reader that stops early cancels the call; the status `cancelled` must not become an unhandled error.
      call.on('error', () => {});
      call.cancel();
    }
  };
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function metadataOf(options: StreamOptions): Metadata {
  const metadata = new Metadata();
  metadata.set(REQUEST_ID_HEADER, requestIdOr(options.requestId));
  if (options.identity !== undefined) metadata.set(IDENTITY_HEADER, options.identity);
  return metadata;
}

function encodeRequest(method: DescMethod, request: unknown, maxMessageBytes: number): Buffer {
  let bytes: Buffer;
  try {
    bytes = encode(method.input, request);
  } catch (cause) {
    throw new AppError('internal', INTERNAL_MESSAGE, { cause });
  }
  if (bytes.byteLength > maxMessageBytes) throw new AppError('too_large', 'The request is too large.');
  return bytes;
}

function decodeResponse(method: DescMethod, bytes: Buffer): unknown {
  try {
    return fromBinary(method.output, bytes);
  } catch (cause) {
    throw new AppError('internal', INTERNAL_MESSAGE, { cause });
  }
}

function cancelled(signal: AbortSignal): AppError {
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: signal.reason });
}

/** Returns the error for a call on a closed client, for which grpc-js throws synchronously. */
function closed(cause: unknown): AppError {
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
}

function requireFinite(timeoutMs: number): number {
  if (!Number.isFinite(timeoutMs)) throw new TypeError('timeoutMs must be a number of milliseconds');
  return timeoutMs;
}

function sameBytes(bytes: Buffer): Buffer {
  return bytes;
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
