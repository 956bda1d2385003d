import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stack } from '../../support/world.ts';

/** An additional process of a service, next to those of the running stack. */
export interface Service {
  /** The origin of its HTTP server. */
  origin: string;
  /** Returns how many requests to /mcp it has answered, according to its log. */
  answered(): number;
  stop(): Promise<void>;
}

/** Starts another gateway for the running stack's services. `env` overrides its default environment. */
export function startGateway(env: Record<string, string>): Promise<Service> {
  return startService('gateway', {
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: '0',
    PUBLIC_URL: stack.publicUrl,
    LINKS_URL: stack.linksHttp,
    ANALYTICS_URL: stack.analyticsHttp,
    MCP_URL: stack.mcpHttp,
    LINKS_GRPC: stack.linksGrpc,
    RATE_LIMIT_PER_MINUTE: '0',
    AUTH_FAILURES_PER_MINUTE: '0',
    ...env,
  });
}

/** Starts another replica of mcp-svc, by default on a free port. */
export function startMcpSvc(port = 0): Promise<Service> {
  return startService('mcp-svc', {
    HOST: '127.0.0.1',
    HTTP_PORT: String(port),
    // As in every orderly restart, clients get time to move their connections before the port closes.
    SHUTDOWN_DELAY_MS: '300',
    LINKS_GRPC: stack.linksGrpc,
    ANALYTICS_GRPC: stack.analyticsGrpc,
  });
}

const SERVICES = join(import.meta.dirname, '../../../apps');

async function startService(name: string, env: Record<string, string>): Promise<Service> {
  const child = spawn(process.execPath, [join(SERVICES, name, 'dist/main.js')], {
    env: { SIGNING_KEY: stack.signingKey, SHUTDOWN_TIMEOUT_MS: '2000', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  // Never leave a child process behind.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  let answered = 0;
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.includes('"path":"/mcp"')) answered += 1;
      const listening = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (listening !== undefined) resolve(listening);
    });
    child.once('exit', () => reject(new Error(`${name} ended before it listened`)));
  });
  return {
    origin,
    answered: () => answered,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      process.off('exit', kill);
    },
  };
}
