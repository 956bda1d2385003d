import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../support/world.ts';
import { type KeyProxy, startKeyProxy } from './support/key-proxy.ts';
import { runTool, scriptOf } from './support/run-tool.ts';
import { type Service, startGateway } from './support/services.ts';

// Runs the official suite against the gateway. The suite cannot send an API key, so a proxy adds it.

const CONFORMANCE = scriptOf('@modelcontextprotocol/conformance', 'conformance');

let proxy: KeyProxy;
let gateway: Service;
beforeAll(async () => {
  proxy = await startKeyProxy((await createAccount()).live);
  // The suite also checks that the server accepts this origin and rejects others.
  gateway = await startGateway({ MCP_ALLOWED_ORIGINS: proxy.origin });
  proxy.target = gateway.origin;
});
afterAll(async () => {
  await proxy.close();
  await gateway.stop();
});

const run = (...args: string[]) => runTool(CONFORMANCE, ['server', '--url', `${proxy.origin}/mcp`, ...args]);

test.each(['2025-11-25', '2026-07-28'])(
  'all scenarios of revision %s pass, except those for features that this server lacks',
  async (revision) => {
    const baseline = join(import.meta.dirname, `baseline-${revision}.yaml`);
    const all = ['--suite', 'all', '--spec-version', revision];
    const { exitCode, stdout } = await run(...all, '--expected-failures', baseline);
    expect(exitCode, stdout.slice(stdout.indexOf('=== SUMMARY ==='))).toBe(0);
    expect(stdout).toMatch(/✓ tools-list: [1-9]\d* passed, 0 failed/);
    expect(stdout).toMatch(/✓ dns-rebinding-protection: [1-9]\d* passed, 0 failed/);
  },
);

test.each(['tools-list', 'dns-rebinding-protection', 'http-header-validation', 'server-sse-multiple-streams'])(
  '%s of revision 2026-07-28 passes without a baseline',
  async (scenario) => {
    const { exitCode, stdout } = await run('--spec-version', '2026-07-28', '--scenario', scenario);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  },
);
