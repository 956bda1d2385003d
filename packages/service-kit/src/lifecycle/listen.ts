import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ConfigError } from '../config/config.ts';

/** Where the servers of a service listen. A port that is missing or 0 needs no check. */
export interface Addresses {
  HOST: string;
  HTTP_PORT?: number;
  GRPC_PORT?: number;
  METRICS_PORT?: number;
  /** The names of two of these in the environment, for error messages. Default: the same names. */
  names?: { HOST: string; HTTP_PORT: string };
}

/** Every address of both families. */
const ALL_ADDRESSES = '::';
const ALL_IPV4_ADDRESSES = '0.0.0.0';

/** What the system says to an address that it does not have, and to a name that has no address. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN']);

const PORT_PROBLEMS = new Map([
  ['EADDRINUSE', 'must be a port that nothing else listens on.'],
  ['EACCES', 'must be a port that this process may listen on.'],
]);

/**
 * Returns the host that all servers of a service can listen on: the configured one, or `0.0.0.0` in place of `::` if
 * the machine has no IPv6.
 * @throws {ConfigError} names the host if this machine does not have it, or each port that is taken or not permitted.
 */
export async function usableHost({ HOST, HTTP_PORT, GRPC_PORT, METRICS_PORT, names }: Addresses): Promise<string> {
  const host = await existingHost(HOST, names?.HOST ?? 'HOST');
  const ports: Record<string, number | undefined> = {
    [names?.HTTP_PORT ?? 'HTTP_PORT']: HTTP_PORT,
    GRPC_PORT,
    METRICS_PORT,
  };
  const servers: Server[] = [];
  const problems: string[] = [];
  for (const [name, port] of Object.entries(ports)) {
    if (!port) continue;
    try {
      // Each is kept until the end, so that two settings with the same port are noticed.
      servers.push(await listen(host, port));
    } catch (error) {
      const problem = PORT_PROBLEMS.get(codeOf(error));
      if (problem === undefined) throw error;
      problems.push(`${name} ${problem}`);
    }
  }
  await Promise.all(servers.map(close));
  if (problems.length > 0) throw new ConfigError(problems);
  return host;
}

async function existingHost(host: string, name: string): Promise<string> {
  try {
    await close(await listen(host, 0));
    return host;
  } catch (error) {
    if (!NO_SUCH_ADDRESS.has(codeOf(error))) throw error;
    if (host === ALL_ADDRESSES) return ALL_IPV4_ADDRESSES;
    throw new ConfigError([`${name} must be an address of this machine.`]);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
