import { requireVersion, UnmetRequirement } from '@waymark/service-kit';
import type { Db } from 'mongodb';

/** The oldest version that is still maintained. */
const MIN_VERSION = [7, 0] as const;

/** The times at which links and sessions expire are compared with each process's own clock. */
const CLOCK_DIFFERENCE_MAX_MS = 60_000;

/**
 * Checks that Waymark can work with this MongoDB. It refuses a standalone server, which can lose acknowledged writes in
 * a crash, and a clock that differs from this process's.
 * @throws {UnmetRequirement}
 */
export async function checkRequirements(db: Db): Promise<void> {
  const [{ version }, hello] = await Promise.all([db.command({ buildInfo: 1 }), db.command({ hello: 1 })]);
  requireVersion('MongoDB', version, MIN_VERSION);
  if (hello.setName === undefined && hello.msg !== 'isdbgrid')
    throw new UnmetRequirement(
      `MongoDB ${version} is a standalone server; Waymark needs a replica set of at least one member: start mongod with --replSet.`,
    );
  const differenceMs = Math.abs(hello.localTime.getTime() - Date.now());
  if (differenceMs > CLOCK_DIFFERENCE_MAX_MS)
    throw new UnmetRequirement(
      `The clocks of MongoDB and links-svc differ by ${Math.round(differenceMs / 1_000)} seconds; Waymark needs them within 60: synchronize both (NTP).`,
    );
}
