import { resolve } from 'node:path';
import { ConfigError, grpcClientTls, loadConfig } from '@waymark/service-kit';
import { ensureDemoAccount } from './demo-account.ts';
import { restartOnChange } from './restart-on-change.ts';
import { SOURCES_CONDITION, type Stack, startStack } from './stack.ts';
import { StackError } from './stack-error.ts';
import { startSchema } from './start-config.ts';
import { welcome } from './welcome.ts';

/** True for `pnpm dev`: if this process runs from its sources, the services do too. */
const fromSources = process.execArgv.includes(SOURCES_CONDITION);
const report = (sentence: string) => process.stderr.write(`${sentence}\n`);

let stack: Stack | undefined;
const givenUp = new AbortController();
const stop = async () => {
  if (givenUp.signal.aborted) {
    for (const member of Object.values(stack?.processes ?? {})) void member.kill('SIGKILL');
    process.exit(1);
  }
  process.stdout.write('\nStopping …\n');
  givenUp.abort();
  await starting;
  await stack?.close();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

const starting = start().catch(async (error: unknown) => {
  if (givenUp.signal.aborted) return;
  for (const line of messagesOf(error)) process.stderr.write(`${line}\n`);
  await stack?.close();
  process.exit(1);
});

async function start(): Promise<void> {
  const startedAt = performance.now();
  const config = loadConfig(startSchema);
  const dataDir = resolve(config.DATA_DIR);
  process.stdout.write('Starting Waymark …\n');
  stack = await startStack({
    dataDir,
    gatewayHost: config.GATEWAY_HOST,
    gatewayPort: config.GATEWAY_PORT,
    publicUrl: config.PUBLIC_URL?.replace(/\/+$/, ''),
    mongodbUrl: config.MONGODB_URL,
    clickhouseUrl: config.CLICKHOUSE_URL,
    autoRestart: true,
    fromSources,
    report,
    signal: givenUp.signal,
  });
  if (fromSources) restartOnChange(stack, report);
  const demo = await ensureDemoAccount(stack, dataDir, grpcClientTls(config));
  process.stdout.write(welcome({ publicUrl: stack.publicUrl, demo, dataDir }));
  process.stdout.write(`(Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.)\n`);
}

function messagesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof StackError) return [error.message];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}
