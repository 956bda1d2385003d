/**
 * Runs the official conformance suite, @modelcontextprotocol/conformance, against mcp-svc. Ends with 0 where exactly
 * the scenarios of the baselines fail: those that need tools made for the suite, or what this server does not have.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStack } from '../stack.ts';
import { startIdentityProxy } from './proxy.ts';

const HOST = 'localhost';
const PORT = 18_999;

function run(args: string[]): Promise<number> {
  const child = spawn('conformance', ['server', '--url', `http://${HOST}:${PORT}/mcp`, ...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** The checks of `server-stateless` that call tools made for the suite. */
const NEED_DIAGNOSTIC_TOOLS = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

/** Runs one scenario and gives the ids of the checks that failed, sorted. */
async function failedChecks(args: string[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-'));
  await run([...args, '--output-dir', directory]);
  const [file] = globSync(join(directory, '**', 'checks.json'));
  const checks = JSON.parse(readFileSync(file!, 'utf8')) as { id: string; status: string }[];
  rmSync(directory, { recursive: true });
  return checks.flatMap(({ id, status }) => (status === 'FAILURE' ? [id] : [])).sort();
}

const stack = await startStack({}, { allowedOrigins: [`http://${HOST}:${PORT}`] });
const proxy = await startIdentityProxy(stack.url, PORT);
let failed = 0;
for (const revision of ['2025-11-25', '2026-07-28']) {
  const baseline = fileURLToPath(new URL(`./baseline-${revision}.yaml`, import.meta.url));
  failed += await run(['--spec-version', revision, '--expected-failures', baseline]);
}
// Outside the default suite.
failed += await run(['--spec-version', '2026-07-28', '--scenario', 'http-header-validation']);
const stateless = await failedChecks(['--spec-version', '2026-07-28', '--scenario', 'server-stateless']);
if (stateless.join() !== NEED_DIAGNOSTIC_TOOLS.join()) {
  console.error(
    `server-stateless: expected to fail: ${NEED_DIAGNOSTIC_TOOLS.join(', ')}; failed: ${stateless.join(', ')}`,
  );
  failed += 1;
}
await proxy.close();
await stack.close();
process.exitCode = failed === 0 ? 0 : 1;
