import { resolve } from 'node:path';
import { adminCommand } from './admin-command.ts';
import type { DemoAccess, DemoStack } from './demo-account.ts';
import { restartOnChange } from './restart-on-change.ts';
import { runScript } from './run-script.ts';
import { SOURCES_CONDITION, type Stack, startStack } from './stack.ts';
import { StackError } from './stack-error.ts';
import type { StartConfig } from './start-config.ts';
import { welcome } from './welcome.ts';

/** True for `pnpm dev`: if this process runs from its sources, the services do too. */
const fromSources = process.execArgv.includes(SOURCES_CONDITION);
// What cannot be printed is lost, for example while the disk is full. The stack goes on.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
const report = (sentence: string) => process.stderr.write(`${sentence}\n`);

let stack: Stack | undefined;
const cancelled = new AbortController();
const stop = async () => {
  if (cancelled.signal.aborted) {
    for (const member of Object.values(stack?.processes ?? {})) void member.kill('SIGKILL');
    process.exit(1);
  }
  process.stdout.write('\nStopping …\n');
  cancelled.abort();
  await starting;
  await stack?.close();
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

const starting = start().catch(async (error: unknown) => {
  if (cancelled.signal.aborted) return;
  process.stderr.write(`${messageOf(error)}\n`);
  await stack?.close();
  process.exit(1);
});

async function start(): Promise<void> {
  const startedAt = performance.now();
  const config = await runScript<StartConfig>('print-config');
  const dataDir = resolve(config.DATA_DIR);
  process.stdout.write('Starting Waymark …\n');
  stack = await startStack({
    dataDir,
    gatewayHost: config.GATEWAY_HOST,
    gatewayPort: config.GATEWAY_PORT,
    publicUrl: config.PUBLIC_URL,
    apiUrl: config.API_URL,
    mongodbUrl: config.MONGODB_URL,
    clickhouseUrl: config.CLICKHOUSE_URL,
    autoRestart: true,
    // `dev` restarts services one by one.
    allInOne: !fromSources,
    fromSources,
    report,
    signal: cancelled.signal,
  });
  if (fromSources) restartOnChange(stack, report);
  const { signingKey, urls } = stack;
  const demo = await runScript<DemoAccess>('print-demo-account', {
    DEMO_STACK: JSON.stringify({ signingKey, urls } satisfies DemoStack),
  });
  process.stdout.write(welcome({ apiUrl: stack.apiUrl, demo, dataDir, admin: adminCommand(dataDir) }));
  process.stdout.write(`(Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.)\n`);
}

function messageOf(error: unknown): string {
  if (error instanceof StackError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
