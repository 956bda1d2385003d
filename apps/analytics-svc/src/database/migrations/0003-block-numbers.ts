import { localName } from '../tables.ts';
import type { Migration } from './migration.ts';

/**
 * Keeps the number of the block in which a click was stored, which otherwise is lost when ClickHouse merges parts. It is
 * the order in which clicks are listed (ADR 68).
 */
export const blockNumbers: Migration = {
  number: 3,
  name: 'block-numbers',
  statements: (topology) => [
    `ALTER TABLE ${localName('clicks', topology)} MODIFY SETTING enable_block_number_column = 1`,
  ],
};
