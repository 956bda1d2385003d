import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { AttackedStack } from './attacked-stack.ts';
import { tally } from './flood.ts';

const QUESTIONS = 590;
const HOURS_QUESTIONS = 500;
const TIMEOUT_MS = 10_000;
/** Two keys at the default rate limit. */
const RATE_EVERY_MS = 50;
const RATE_QUESTIONS = 200;
const LEAVE_AFTER_MS = 30;
const ZONES = Intl.supportedValuesOf('timeZone');
/** Every part of an answer for the longest window. */
const ALL_PARTS = 'days=365&include=visitors,countries,browsers,operating_systems,referrers,previous&top=100';

/** Many questions of one account, which may not leave other accounts without answers. */
export const analyticsAttacks: readonly Attack[] = [
  {
    name: 'analytics: flood',
    about: `asks for every part of a year in different zones, with both keys of one account: ${QUESTIONS} times at once, then ${1_000 / RATE_EVERY_MS} times a second`,
    service: 'analytics-svc',
    measureMs: 15_000,
    async prepare(stack) {
      const ask = asker(stack, (n) => `${ALL_PARTS}&tz=${zone(n)}`);
      return {
        async run() {
          const atOnce = await Promise.all(Array.from({ length: QUESTIONS }, (_, n) => ask(n)));
          const steady = await atSteadyRate(ask);
          return [`questions at once: ${tally(atOnce)}`, `questions at a steady rate: ${tally(steady)}`];
        },
      };
    },
  },
  {
    name: 'analytics: abandoned',
    about: `asks for every part of a year ${RATE_QUESTIONS} times, with both keys of one account, and leaves each time after ${LEAVE_AFTER_MS} ms`,
    service: 'analytics-svc',
    measureMs: 15_000,
    async prepare(stack) {
      const ask = asker(stack, (n) => `${ALL_PARTS}&tz=${zone(n)}`);
      return {
        async run() {
          const outcomes = await atSteadyRate((n) => ask(n, LEAVE_AFTER_MS));
          return [`questions of the attacker: ${tally(outcomes)}`];
        },
      };
    },
  },
  {
    name: 'analytics: hours',
    about: `asks ${HOURS_QUESTIONS} times at once for the analytics of one account with their hours, in different zones`,
    service: 'gateway',
    measureMs: 10_000,
    async prepare(stack) {
      const ask = asker(stack, (n) => `include=hours&days=${7 + (n % 25)}&tz=${zone(n)}`);
      return {
        async run() {
          const outcomes = await Promise.all(Array.from({ length: HOURS_QUESTIONS }, (_, n) => ask(n)));
          return [`questions of the attacker: ${tally(outcomes)}`];
        },
      };
    },
  },
];

function zone(n: number): string {
  return ZONES[n % ZONES.length]!;
}

/** Asks questions at the default rate limit of two keys, and returns their outcomes. */
async function atSteadyRate<Outcome>(ask: (n: number) => Promise<Outcome>): Promise<Outcome[]> {
  const asked: Promise<Outcome>[] = [];
  for (let n = 0; n < RATE_QUESTIONS; n++) {
    asked.push(ask(n));
    await sleep(RATE_EVERY_MS);
  }
  return Promise.all(asked);
}

/** Returns a function that asks the n-th question, with one key after the other, and returns its status or error. */
function asker({ gateway, attacker }: AttackedStack, query: (n: number) => string) {
  const keys = [attacker.live, attacker.public];
  return (n: number, timeoutMs = TIMEOUT_MS): Promise<number | string> =>
    fetch(`${gateway}/api/v1/analytics?${query(n)}`, {
      headers: { authorization: `Bearer ${keys[n % keys.length]}` },
      signal: AbortSignal.timeout(timeoutMs),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      (error: Error) => error.name,
    );
}
