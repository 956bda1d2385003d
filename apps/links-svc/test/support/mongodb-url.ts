import { connect, type Socket } from 'node:net';
import { inject } from 'vitest';

/** Returns the URL of the MongoDB of this worker's tests. */
export function mongodbUrl(): string {
  const urls = inject('mongodbUrls');
  return urls[(Number(process.env.VITEST_POOL_ID) - 1) % urls.length]!;
}

/** Connects to the MongoDB of a URL: the embedded one listens on a Unix socket, whose path is the host of its URL. */
export function connectToMongodb(url: string): Socket {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? connect(host) : connect(Number(port), host);
}

/** Returns the URL of the same MongoDB behind a proxy on this port of 127.0.0.1, with the same user and password. */
export function mongodbUrlAt(url: string, port: number): string {
  const { username, password } = new URL(url);
  const user = username === '' ? '' : `${username}:${password}@`;
  return `mongodb://${user}127.0.0.1:${port}/?directConnection=true`;
}

/** Returns the URL with which a client reports its commands. */
export function withMonitoring(url: string): string {
  const separator = url.includes('?') ? '&' : url.endsWith('/') ? '?' : '/?';
  return `${url}${separator}monitorCommands=true`;
}
