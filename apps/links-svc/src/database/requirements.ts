import { requireVersion, UnmetRequirement } from '@waymark/service-kit';
import type { Db } from 'mongodb';

/** The oldest version that is still maintained. */
const MIN_VERSION = [7, 0] as const;

/**
 * Checks that Waymark can work with this MongoDB. It refuses a standalone server, which can lose acknowledged writes in
 * a crash.
 * @throws {UnmetRequirement}
 */
export async function checkRequirements(db: Db): Promise<void> {
  const [{ version }, hello] = await Promise.all([db.command({ buildInfo: 1 }), db.command({ hello: 1 })]);
  requireVersion('MongoDB', version, MIN_VERSION);
  if (hello.setName === undefined && hello.msg !== 'isdbgrid')
    throw new UnmetRequirement(
      `MongoDB ${version} is a standalone server; Waymark needs a replica set of at least one member: start mongod with --replSet.`,
    );
}
