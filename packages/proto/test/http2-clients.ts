import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface Http2ClientOptions {
  /** The address to connect from. Linux has all of 127.0.0.0/8. */
  from?: string;
  tls?: { ca: string };
}

/** Opens a connection of a client that is not ours. Rejects if the server closes it before it sends its settings. */
export function openHttp2(port: number, { from = '127.0.0.1', tls }: Http2ClientOptions = {}) {
  return new Promise<ClientHttp2Session>((resolve, reject) => {
    const target = { port, host: '127.0.0.1', localAddress: from };
    const session = connect(`${tls ? 'https' : 'http'}://127.0.0.1:${port}`, {
      createConnection: () => (tls ? connectTls({ ...target, ...tls, ALPNProtocols: ['h2'] }) : connectTcp(target)),
    });
    session.on('error', reject);
    session.once('close', () => reject(new Error('The server closed the connection.')));
    session.once('remoteSettings', () => resolve(session));
  });
}

/** Opens a connection. Returns null if the server refuses it. */
export async function tryHttp2(port: number, options?: Http2ClientOptions): Promise<ClientHttp2Session | null> {
  return openHttp2(port, options).catch(() => null);
}

/** Begins a call. Its errors are ignored. */
export function beginCall(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': '60S',
    ...headers,
  });
  stream.on('error', () => {});
  stream.resume();
  return stream;
}

/** Returns a message as gRPC sends it: after one byte for its compression and four for its length. */
export function grpcMessage(message: Buffer, { isCompressed = false } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Waits until a stream has ended, with or without an error. */
export function ended(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.readableEnded) return resolve();
    stream.once('end', resolve).once('close', resolve);
  });
}

/** Returns whether the server still answers on a connection, after everything that was sent on it. */
export function isAlive(session: ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve(false);
    session.once('close', () => resolve(false));
    session.ping((error) => resolve(error === null));
  });
}
