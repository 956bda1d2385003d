import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { startAttackedStack } from './attacked-stack.ts';
import { peakResident, resetPeak } from './memory.ts';
import { type OtherRequests, startOthers, usualOthers } from './others.ts';
import { type AttackResult, waitsOf } from './results.ts';

/** Not counted: meanwhile code is compiled and caches are filled. */
const WARM_UP_MS = 3_000;
const QUIET_MS = 6_000;

/**
 * Starts the stack of a checkout, measures the requests of others first without and then during the attack, and closes
 * the stack.
 * @throws {SkippedAttack} if this machine lacks what the attack needs.
 */
export async function runAttack(attack: Attack, checkout: string): Promise<AttackResult> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const env = (await attack.environment?.((end) => closers.push(end))) ?? {};
    const stack = await startAttackedStack(checkout, env);
    closers.push(() => stack.close());
    const others = startOthers();
    closers.push(() => others.close());
    const pid = stack.pidOf(attack.service);
    const usual = await usualOthers(stack);
    const prepared = await attack.prepare(stack);
    const all: OtherRequests[] = [...usual, ...(prepared.others ?? [])];

    others.start(all);
    await sleep(WARM_UP_MS);
    await others.stop();

    resetPeak(pid);
    others.start(all);
    await sleep(QUIET_MS);
    const quiet = await others.stop();
    const quietBytes = peakResident(pid);

    resetPeak(pid);
    others.start(all);
    const [lines] = await Promise.all([prepared.run(), sleep(attack.measureMs)]);
    const attacked = await others.stop();
    const attackedBytes = peakResident(pid);

    others.start(all);
    const afterwards = (await prepared.afterwards?.()) ?? [];
    await others.stop();
    const ended = stack.pidOf(attack.service) === pid ? [] : [`${attack.service} ended by itself`];
    return {
      attack: attack.name,
      about: attack.about,
      service: attack.service,
      quietBytes,
      attackedBytes,
      others: all.map(({ name, expectedStatus }) => ({
        name,
        quiet: waitsOf(quiet[name]!, expectedStatus),
        attacked: waitsOf(attacked[name]!, expectedStatus),
      })),
      lines: [...lines, ...afterwards, ...ended],
    };
  } finally {
    for (const end of closers.reverse()) await end();
  }
}
