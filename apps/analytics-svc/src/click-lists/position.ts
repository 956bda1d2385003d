import { AppError } from '@waymark/contract';

/** A place in the order of the clicks of a table: by the number of their block, then by their ids. */
export interface Position {
  block: number;
  /** A UUID. */
  id: string;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The place before the first click. */
export const START: Position = { block: 0, id: FIRST_ID };

/** Returns the place behind all clicks of a block and of those before it. */
export function endOf(block: number): Position {
  return { block: block + 1, id: FIRST_ID };
}

export function isBefore(one: Position, other: Position): boolean {
  return one.block < other.block || (one.block === other.block && one.id < other.id);
}

const TABLE_BYTES = 4;
const BLOCK_BYTES = 6;
const ID_BYTES = 16;
const CURSOR = /^[\w-]{35}$/;

/** Returns a place in the table with this UUID as an opaque text. */
export function cursorOf(tableId: string, { block, id }: Position): string {
  const bytes = Buffer.alloc(TABLE_BYTES + BLOCK_BYTES + ID_BYTES);
  bytes.set(markOf(tableId));
  bytes.writeUIntBE(block, TABLE_BYTES, BLOCK_BYTES);
  bytes.write(id.replaceAll('-', ''), TABLE_BYTES + BLOCK_BYTES, 'hex');
  return bytes.toString('base64url');
}

/**
 * Returns the place of a cursor in the table with this UUID.
 * @throws {AppError} `invalid` if it is malformed, or a cursor of another table.
 */
export function positionOf(tableId: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  if (!CURSOR.test(cursor) || bytes.toString('base64url') !== cursor)
    throw new AppError('invalid', '"after" must be a "cursor" of a click as it was sent; leave it out to begin.');
  if (!bytes.subarray(0, TABLE_BYTES).equals(markOf(tableId)))
    throw new AppError(
      'invalid',
      '"after" is from before the clicks were restored from a backup; leave it out to begin again.',
    );
  const id = bytes.toString('hex', TABLE_BYTES + BLOCK_BYTES);
  return {
    block: bytes.readUIntBE(TABLE_BYTES, BLOCK_BYTES),
    id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  };
}

/** Returns what tells a table from one that was restored: enough of its UUID. */
function markOf(tableId: string): Buffer {
  return Buffer.from(tableId.replaceAll('-', '').slice(0, 2 * TABLE_BYTES), 'hex');
}
