import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createSignInToken, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { eventually, request } from '../support/world.ts';

// "Services whose clocks differ by up to 60 seconds work together." Beyond that, /readyz and errors say so.

const SERVICES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc'] as const;
type Service = (typeof SERVICES)[number];
const PRELOAD = new URL('../support/shifted-clock.ts', import.meta.url);
const DIFFER = /^The clocks of this service's machines differ by at least \d+ seconds; at most 60 work\./;
/** The words when the gateway cannot look up a key. Its log has the cause. */
const UNAVAILABLE = /^Part of the service is unavailable/;

let folder: string;
let own: OwnStack;
const fileOf = (service: Service) => join(folder, service);
async function setClock(service: Service, aheadSeconds: number): Promise<void> {
  await writeFile(fileOf(service), String(aheadSeconds * 1_000));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-clocks-'));
  for (const service of SERVICES) await setClock(service, 0);
  own = await startOwnStack({
    serviceEnv: Object.fromEntries(
      SERVICES.map((service) => [service, { NODE_OPTIONS: `--import=${PRELOAD}`, CLOCK_SHIFT_FILE: fileOf(service) }]),
    ),
  });
  await own.createLinks(['clock']);
});
afterEach(async () => {
  for (const service of SERVICES) await setClock(service, 0);
  await eventually(async () => expect((await readiness()).status).toBe(200));
});
afterAll(async () => {
  await own?.close();
  await rm(folder, { recursive: true, force: true });
});

const readiness = () => request<{ error?: string }>('/readyz', { base: own.stack.urls.gateway });
const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_analytics', arguments: {} } };

/** Returns the status and the words of one request to each service, through the gateway. */
async function answers(): Promise<Record<string, [number, string]>> {
  const options = { key: own.key, base: own.stack.urls.gateway };
  const headers = { accept: 'application/json, text/event-stream' };
  const sent = {
    links: request('/api/v1/links', options),
    analytics: request('/api/v1/analytics', options),
    mcp: request('/mcp', { ...options, method: 'POST', json, headers }),
  };
  const entries = Object.entries(sent).map(async ([name, sending]) => {
    const { status, body } = await sending;
    const { error, result } = body as { error?: string; result?: { isError?: boolean; content: { text: string }[] } };
    return [name, [status, error ?? (result?.isError ? result.content[0]!.text : 'ok')]];
  });
  return Object.fromEntries(await Promise.all(entries));
}
const OK = { links: [200, 'ok'], analytics: [200, 'ok'], mcp: [200, 'ok'] };

test.each(SERVICES.flatMap((service) => [58, -58].map((seconds) => [service, seconds] as const)))(
  'with the clock of %s ahead by %i seconds everything works',
  async (service, seconds) => {
    expect(await answers()).toEqual(OK);
    await setClock(service, seconds);
    for (let round = 0; round < 5; round++) {
      expect(await answers()).toEqual(OK);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await readiness()).status).toBe(200);
    await createSignInToken(own.stack);
  },
);

const REFUSED: Record<Service, string[]> = {
  gateway: ['links', 'analytics', 'mcp'],
  'links-svc': ['links'],
  'analytics-svc': ['analytics'],
  'mcp-svc': ['mcp'],
};
test.each(SERVICES.map((service, n) => [service, n % 2 === 0 ? 200 : -200] as const))(
  'with the clock of %s ahead by %i seconds, /readyz and the refused requests say so',
  async (service, seconds) => {
    await setClock(service, seconds);
    const differing = service === 'gateway' ? 'links-svc' : service;
    const isBehind = service === 'gateway' ? seconds > 0 : seconds < 0;
    await eventually(async () => {
      const { status, body } = await readiness();
      expect([status, body.error]).toEqual([
        503,
        expect.stringMatching(
          new RegExp(`Not ready: .*clocks\\..*${differing} is (199|20[0-3]) seconds ${isBehind ? 'behind' : 'ahead'}`),
        ),
      ]);
      const found = await answers();
      for (const name of REFUSED[service]) {
        const [code, words] = found[name]!;
        expect([name, code, words]).toEqual([
          name,
          name === 'mcp' ? expect.any(Number) : 503,
          expect.stringMatching(
            ['gateway', 'links-svc'].includes(service) ? new RegExp(`${DIFFER.source}|${UNAVAILABLE.source}`) : DIFFER,
          ),
        ]);
      }
    });
    await eventually(async () =>
      expect(await readFile(join(own.dataDir, 'logs', 'gateway.log'), 'utf8')).toContain(
        'Clocks differ by more than 60 seconds',
      ),
    );
    // The command line is a client of links-svc.
    const signIn = createSignInToken(own.stack);
    if (service === 'links-svc') await expect(signIn).rejects.toThrow(/clocks .* differ/);
    else await signIn;
  },
);
