import { UnmetRequirement } from '@waymark/service-kit';

/** The bounds of how far the clock of a service is ahead of this one, in milliseconds. */
export interface ClockDifference {
  least: number;
  most: number;
}

const DIFFERENCE_MAX_MS = 60_000;
/** Smaller differences are not mentioned. */
const MENTIONED_FROM_MS = 2_000;
const OWN: ClockDifference = { least: 0, most: 0 };

/** Returns what the `Date` header of a response says, which has whole seconds. Null if there is no such header. */
export function clockDifference(date: unknown, sentAtMs: number, receivedAtMs: number): ClockDifference | null {
  const dateMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(dateMs)) return null;
  return { least: dateMs - receivedAtMs, most: dateMs + 1_000 - sentAtMs };
}

/**
 * Checks the clocks of services against each other and this one. `differences` are those to this clock, by name.
 * @throws {UnmetRequirement} if two of them certainly differ by more than 60 seconds.
 */
export function checkClocks(differences: ReadonlyMap<string, ClockDifference>): void {
  const all = [...differences.values(), OWN];
  const spread = Math.max(...all.map(({ least }) => least)) - Math.min(...all.map(({ most }) => most));
  if (spread <= DIFFERENCE_MAX_MS) return;
  const words = [...differences]
    .map(([name, { least, most }]) => ({ name, ms: (least + most) / 2 }))
    .filter(({ ms }) => Math.abs(ms) >= MENTIONED_FROM_MS)
    .map(({ name, ms }) => `${name} is ${Math.round(Math.abs(ms) / 1_000)} seconds ${ms < 0 ? 'behind' : 'ahead'}`);
  throw new UnmetRequirement(
    `Clocks differ by more than 60 seconds: compared with the gateway, ${words.join(', ')}. Set them to the same time.`,
  );
}
