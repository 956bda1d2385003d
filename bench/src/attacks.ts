// Measures how long other clients wait while the system is under attack. Each attack gets its own stack, and another
// one that nobody attacks: the same requests of others go to both at the same time. The memory of the attacked service is
// measured before and during the attack. Prints a table; exits with 1 if an attack could not be measured or others waited
// over 250 ms longer than by themselves. `--only NAME` selects attacks by a prefix of their name and may be repeated,
// `--stack FOLDER` attacks the built stack of another checkout, `--write` writes bench/results/attacks.json. Linux only.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { analyticsAttacks } from './attacks/analytics.ts';
import { type Attack, SkippedAttack } from './attacks/attack.ts';
import { bulkRepetitionsAttack } from './attacks/bulk-repetitions.ts';
import { eventsAttack } from './attacks/events.ts';
import { grpcAttacks } from './attacks/grpc.ts';
import { hiddenLinksAttack } from './attacks/hidden-links.ts';
import { invalidKeysAttack } from './attacks/invalid-keys.ts';
import { jobsAttack } from './attacks/jobs.ts';
import { mcpBatchAttack } from './attacks/mcp-batch.ts';
import { oneKindAttacks } from './attacks/one-kind.ts';
import { passwordsAttack } from './attacks/passwords.ts';
import { previewAttacks } from './attacks/previews.ts';
import { qrCodesAttacks } from './attacks/qr-codes.ts';
import { type AttackResult, attacksTable, isOverLimit } from './attacks/results.ts';
import { runAttack } from './attacks/run-attack.ts';
import { searchAttacks } from './attacks/search.ts';
import { unreadAttacks } from './attacks/unread.ts';
import { userAgentsAttack } from './attacks/user-agents.ts';
import { visitorQueryAttacks } from './attacks/visitor-query.ts';
import { commitOf, ROOT } from './checkout.ts';

const ATTACKS: readonly Attack[] = [
  ...previewAttacks,
  mcpBatchAttack,
  userAgentsAttack,
  ...unreadAttacks,
  passwordsAttack,
  ...oneKindAttacks,
  ...analyticsAttacks,
  ...searchAttacks,
  hiddenLinksAttack,
  ...qrCodesAttacks,
  ...visitorQueryAttacks,
  bulkRepetitionsAttack,
  jobsAttack,
  eventsAttack,
  invalidKeysAttack,
  ...grpcAttacks,
];

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string', multiple: true, default: [] },
    stack: { type: 'string', default: ROOT },
    write: { type: 'boolean', default: false },
  },
});
for (const name of values.only)
  if (!ATTACKS.some((attack) => attack.name.startsWith(name)))
    throw new Error(`--only must be one of ${ATTACKS.map((attack) => attack.name).join(', ')}, not "${name}"`);
const chosen = ATTACKS.filter(
  ({ name }) => values.only.length === 0 || values.only.some((beginning) => name.startsWith(beginning)),
);

const checkout = resolve(values.stack);
const startedAt = new Date().toISOString();
const loadBefore = loadavg()[0]!;
const results: AttackResult[] = [];
for (const attack of chosen) {
  console.error(`${attack.name} …`);
  try {
    results.push(await runAttack(attack, checkout));
  } catch (error) {
    if (error instanceof SkippedAttack) {
      console.error(`${attack.name} was skipped: ${error.message}.`);
      continue;
    }
    console.error(`${attack.name} could not be measured:`, error);
    process.exitCode = 1;
  }
}

const commit = commitOf(checkout);
const machine = {
  cpu: cpus()[0]!.model,
  cores: cpus().length,
  memoryBytes: totalmem(),
  node: process.versions.node,
};
const loadAverage = { before: loadBefore, after: loadavg()[0]! };
console.log(
  `${startedAt.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${machine.cores} cores (${machine.cpu}), ` +
    `load average ${loadAverage.before.toFixed(1)} before, ${loadAverage.after.toFixed(1)} after\n`,
);
console.log(attacksTable(results));
if (results.some(isOverLimit)) process.exitCode = 1;
if (values.write) {
  const folder = join(ROOT, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const report = { startedAt, commit, machine, loadAverage, attacks: results };
  writeFileSync(join(folder, 'attacks.json'), `${JSON.stringify(report, null, 2)}\n`);
}
