import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { type AttackedStack, startAttackedStack } from './attacked-stack.ts';
import { peakResident, resetPeak } from './memory.ts';
import { type OtherRequests, startOthers, usualOthers } from './others.ts';
import { type AttackResult, waitsOf } from './results.ts';

/** Precedes the names of requests to the stack that nobody attacks. */
const ALONE = 'alone: ';
/** Not counted: meanwhile code is compiled and caches are filled. */
const WARM_UP_MS = 3_000;
const QUIET_MS = 6_000;

/**
 * Starts the stack of a checkout twice, attacks one, and sends the requests of others to both at the same time: so each
 * wait has its like without the attack, on a machine that is as busy.
 * @throws {SkippedAttack} if this machine lacks what the attack needs.
 */
export async function runAttack(attack: Attack, checkout: string): Promise<AttackResult> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const env = (await attack.environment?.((end) => closers.push(end))) ?? {};
    const start = async () => {
      const stack = await startAttackedStack(checkout, env);
      closers.push(() => stack.close());
      return stack;
    };
    const [stack, alone] = [await start(), await start()];
    const others = startOthers();
    closers.push(() => others.close());
    const pid = stack.pidOf(attack.service);
    const othersOf = async (stack: AttackedStack) => [
      ...(await usualOthers(stack)),
      ...((await attack.others?.(stack)) ?? []),
    ];
    const kinds = await othersOf(stack);
    const all: OtherRequests[] = [
      ...kinds,
      ...(await othersOf(alone)).map((requests) => ({ ...requests, name: ALONE + requests.name })),
    ];
    const prepared = await attack.prepare(stack);

    others.start(all);
    await sleep(WARM_UP_MS);
    await others.stop();

    resetPeak(pid);
    others.start(all);
    await sleep(QUIET_MS);
    await others.stop();
    const quietBytes = peakResident(pid);

    resetPeak(pid);
    others.start(all);
    const [lines] = await Promise.all([prepared.run(), sleep(attack.measureMs)]);
    const samples = await others.stop();
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
      others: kinds.map(({ name, expectedStatus }) => ({
        name,
        alone: waitsOf(samples[ALONE + name]!, expectedStatus),
        attacked: waitsOf(samples[name]!, expectedStatus),
      })),
      isSudden: attack.isSudden ?? false,
      lines: [...lines, ...afterwards, ...ended],
    };
  } finally {
    for (const end of closers.reverse()) await end();
  }
}
