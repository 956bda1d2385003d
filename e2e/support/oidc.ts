import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Provider from 'oidc-provider';
import { createAuthority } from '../../packages/proto/test/certificates.ts';
import { freePorts } from './free-ports.ts';
import { eventually, request, stack } from './world.ts';

/** A gateway of the shared stack whose people sign in at a provider of its own. */
export interface OidcGateway {
  url: string;
  /** The host and port of the provider. */
  providerHost: string;
  /** The groups of each person, by the name that they sign in with. */
  groups: Map<string, string[]>;
  close(): Promise<void>;
}

const CLIENT = { OIDC_CLIENT_ID: 'waymark', OIDC_CLIENT_SECRET: 'a secret of the client' };
const LAST_NAME = 'Lovelace';

/** Starts a real provider, over HTTP or HTTPS, and a gateway that trusts it. */
export async function startOidcGateway(scheme: 'http' | 'https', access: readonly string[]): Promise<OidcGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-oidc-'));
  const authority = createAuthority('oidc');
  await writeFile(join(folder, 'ca.crt'), authority.cert);
  const [port, providerPort] = (await freePorts(2)) as [number, number];
  const url = `http://localhost:${port}`;
  const issuer = `${scheme}://localhost:${providerPort}`;
  const groups = new Map<string, string[]>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.OIDC_CLIENT_ID,
        client_secret: CLIENT.OIDC_CLIENT_SECRET,
        redirect_uris: [`${url}/auth/oidc/callback`],
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    // With HTTPS the groups are in the ID token, otherwise at the userinfo endpoint.
    conformIdTokenClaims: scheme === 'http',
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, name: `${id} ${LAST_NAME}`, groups: groups.get(id) ?? [] }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['a key of cookies'] },
  });
  const server: Server =
    scheme === 'http'
      ? createHttpServer(provider.callback())
      : createHttpsServer(authority.issue('localhost'), provider.callback());
  await new Promise<void>((resolve) => server.listen(providerPort, '127.0.0.1', resolve));

  const main = join(import.meta.dirname, '../../apps/gateway/dist/main.js');
  const child = spawn(process.execPath, [main], {
    stdio: 'inherit',
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOG_LEVEL: 'silent',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt'),
      SIGNING_KEY: stack.signingKey,
      PUBLIC_URL: url,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LINKS_URL: stack.linksHttp,
      LINKS_GRPC: stack.linksGrpc,
      ANALYTICS_URL: stack.analyticsHttp,
      MCP_URL: stack.mcpHttp,
      OIDC_ISSUER: issuer,
      OIDC_ACCESS: access.join(','),
      ...CLIENT,
    },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('the gateway has ended');
    if ((await request('/readyz', { base: url })).status !== 200) throw new Error('the gateway is not ready');
  });
  return {
    url,
    providerHost: new URL(issuer).host,
    groups,
    async close() {
      child.kill();
      await exited;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
