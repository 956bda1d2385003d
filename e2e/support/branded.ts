import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { eventually, request, stack } from './world.ts';

/** A gateway and a links-svc with a brand, on the databases of the shared stack. */
export interface Branded {
  url: string;
  close(): Promise<void>;
}

/** Starts both. `logo` is an SVG. */
export async function startBranded(logo: string, brand: Record<string, string>): Promise<Branded> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-brand-'));
  const BRAND_LOGO = join(folder, 'logo.svg');
  await writeFile(BRAND_LOGO, logo);
  const [port, linksPort, rpcPort] = (await freePorts(3)) as [number, number, number];
  const url = `http://localhost:${port}`;
  const LINKS_GRPC = `127.0.0.1:${rpcPort}`;
  const common = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    LOG_LEVEL: 'silent',
    SIGNING_KEY: stack.signingKey,
    PUBLIC_URL: url,
    ...brand,
    BRAND_LOGO,
  };
  const children = [
    start('links-svc', {
      ...common,
      HOST: '127.0.0.1',
      HTTP_PORT: String(linksPort),
      GRPC_PORT: String(rpcPort),
      MONGODB_URL: stack.mongodbUrl,
      MONGODB_DATABASE: stack.database,
      ANALYTICS_GRPC: stack.analyticsGrpc,
      SPOOL_DIR: join(folder, 'spool'),
      HEALTH_CHECK_HOURS: '0',
    }),
    start('gateway', {
      ...common,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LINKS_URL: `http://127.0.0.1:${linksPort}`,
      LINKS_GRPC,
      ANALYTICS_URL: stack.analyticsHttp,
      MCP_URL: stack.mcpHttp,
    }),
  ];
  await eventually(async () => {
    if (children.some(({ child }) => child.exitCode !== null)) throw new Error('a service has ended');
    if ((await request('/readyz', { base: url })).status !== 200) throw new Error('the gateway is not ready');
  });
  return {
    url,
    async close() {
      for (const { child } of children) child.kill();
      await Promise.all(children.map(({ exited }) => exited));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function start(
  service: string,
  env: Record<string, string | undefined>,
): { child: ChildProcess; exited: Promise<unknown> } {
  const main = join(import.meta.dirname, '../../apps', service, 'dist/main.js');
  const child = spawn(process.execPath, [main], { stdio: 'inherit', env });
  return { child, exited: new Promise((resolve) => child.once('exit', resolve)) };
}
