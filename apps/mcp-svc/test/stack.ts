import type { AddressInfo } from 'node:net';
import { type AccountIdentity, createSigner, type Identity } from '@waymark/auth';
import { IDENTITY_HEADER } from '@waymark/proto';
import { createLogger, createMetrics } from '@waymark/service-kit';
import { buildApp } from '../src/app.ts';
import { createServiceClients } from '../src/service-clients.ts';
import { type ServiceOverrides, SIGNING_KEY, startFakeServices } from './fake-services.ts';

/** The default caller of the tests. */
export const ADA: AccountIdentity = {
  kind: 'account',
  accountId: 'a1',
  username: 'ada',
  plan: 'developer',
  scope: 'full_access',
};

/** Returns the header that the gateway would send for this identity. */
export async function identityHeader(identity: Partial<AccountIdentity> | Identity = {}) {
  return { [IDENTITY_HEADER]: await createSigner({ current: SIGNING_KEY }).mint({ ...ADA, ...identity } as Identity) };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the test expects
  json: any;
}

/** Starts mcp-svc as production builds it, on a loopback port, with stand-ins for the other services over real gRPC. */
export async function startStack(
  overrides: ServiceOverrides = {},
  { addresses = {} as { links?: string; analytics?: string } } = {},
) {
  const services = await startFakeServices(overrides);
  const logs: Record<string, unknown>[] = [];
  const logger = createLogger(
    { service: 'mcp-svc', level: 'info' },
    { write: (line: string) => logs.push(JSON.parse(line)) },
  );
  const metrics = createMetrics('mcp-svc');
  const clients = createServiceClients({
    LINKS_GRPC: addresses.links ?? `127.0.0.1:${services.ports.links}`,
    ANALYTICS_GRPC: addresses.analytics ?? `127.0.0.1:${services.ports.analytics}`,
  });
  const { http, health, close } = buildApp({ SIGNING_KEY }, { logger, metrics, services: clients });
  await http.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  const identity = await identityHeader();

  async function send(init: RequestInit & { path?: string; headers?: Record<string, string> }): Promise<Reply> {
    const response = await fetch(`${origin}${init.path ?? '/mcp'}`, init);
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  }
  /** Posts a body as an authenticated client does. */
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...identity, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  /** Calls a tool without a handshake, which mcp-svc allows for all revisions. Returns the JSON-RPC response. */
  const call = async (name: string, args?: unknown, headers: Record<string, string> = {}) =>
    (
      await post(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, ...(args !== undefined && { arguments: args }) },
        },
        headers,
      )
    ).json;

  return {
    origin,
    url: new URL(`${origin}/mcp`),
    identity,
    logs,
    services,
    health,
    metrics,
    send,
    post,
    call,
    async close() {
      await http.close();
      await close(1_000);
      clients.close();
      await services.close();
    },
  };
}

export type Stack = Awaited<ReturnType<typeof startStack>>;
