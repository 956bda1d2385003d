import type { Logger } from '../logging/logger.ts';

/**
 * The error for a database that Waymark cannot work with. Its message is one sentence: what was found, what is needed
 * and what to do.
 */
export class UnmetRequirement extends Error {
  override readonly name = 'UnmetRequirement';
}

const SHOWN_MAX_LENGTH = 60;

/**
 * Checks that the version of a database, such as `25.8.3.1`, is at least `minimum`.
 * @throws {UnmetRequirement} if it is older or cannot be read.
 */
export function requireVersion(database: string, announced: unknown, minimum: readonly [number, number]): void {
  const needed = `Waymark needs ${minimum.join('.')} or later`;
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})(?:[.-]|$)/.exec(String(announced)) ?? [];
  if (major === undefined) {
    const shown = JSON.stringify(announced)?.slice(0, SHOWN_MAX_LENGTH);
    throw new UnmetRequirement(
      `The version that ${database} announces, ${shown}, cannot be read; ${needed}: connect it to ${database} itself.`,
    );
  }
  const [neededMajor, neededMinor] = minimum;
  if (Number(major) > neededMajor || (Number(major) === neededMajor && Number(minor) >= neededMinor)) return;
  throw new UnmetRequirement(`${database} is version ${announced}; ${needed}: upgrade ${database}.`);
}

/**
 * Returns a listener that logs why a database is not ready. It skips a reason that repeats the one before. An unmet
 * requirement is logged as its message only.
 */
export function notReadyLog(logger: Logger, database: string): (error: unknown) => void {
  let logged = '';
  return (err) => {
    const reason = String(err instanceof Error && err.cause !== undefined ? err.cause : err);
    if (reason === logged) return;
    logged = reason;
    if (err instanceof UnmetRequirement) logger.error(err.message);
    else logger.warn({ err }, `${database} is not ready; trying again`);
  };
}
