import { baseline } from './0001-baseline.ts';
import { languagesAndUtm } from './0002-languages-and-utm.ts';
import { blockNumbers } from './0003-block-numbers.ts';
import type { Migration } from './migration.ts';

/**
 * The migrations in the order in which they run. One that was released never changes.
 *
 * Processes of the version before run while and after a migration does. So a migration only adds: what the version
 * before reads and writes must stay.
 */
export const MIGRATIONS: readonly Migration[] = [baseline, languagesAndUtm, blockNumbers];
