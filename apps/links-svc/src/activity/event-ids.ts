import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { AccountDocument } from '../database/documents/account.ts';
import type { LogPosition } from '../events/event.ts';

/** One block of the cipher: the revision, and the beginning of a hash of `change_id`. */
const CIPHER = 'aes-128-ecb';
const REVISION_BYTES = 6;
const PROOF_BYTES = 10;
const ID = /^[\w-]{22}$/;

/** Where an id points to in a log. The log has that event if its `change_id` {@link proves} it. */
export interface IdPosition {
  revision: number;
  proof: Buffer;
}

/**
 * Returns the id that clients see of the event at a position of an account's log. It is encrypted with the account's key:
 * nobody can count from two ids how much happened in between that a key does not see.
 */
export function eventIdOf({ events_key }: Pick<AccountDocument, 'events_key'>, position: LogPosition): string {
  const block = Buffer.alloc(REVISION_BYTES + PROOF_BYTES);
  block.writeUIntBE(position.revision, 0, REVISION_BYTES);
  proofOf(position).copy(block, REVISION_BYTES);
  const cipher = createCipheriv(CIPHER, Buffer.from(events_key, 'hex'), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
}

/** Returns where an id points to, or null if it has not the form of one. That of another account points anywhere. */
export function positionOfId({ events_key }: Pick<AccountDocument, 'events_key'>, id: string): IdPosition | null {
  if (!ID.test(id)) return null;
  const decipher = createDecipheriv(CIPHER, Buffer.from(events_key, 'hex'), null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(Buffer.from(id, 'base64url')), decipher.final()]);
  return { revision: block.readUIntBE(0, REVISION_BYTES), proof: block.subarray(REVISION_BYTES) };
}

/** Returns true if an id is that of the event at this position. */
export function proves({ revision, proof }: IdPosition, position: LogPosition): boolean {
  return revision === position.revision && proof.equals(proofOf(position));
}

/** The beginning of a log is no event, and has the same proof before its first event and after it. */
function proofOf({ revision, change_id }: LogPosition): Buffer {
  return createHash('sha256')
    .update(revision === 0 ? '' : change_id)
    .digest()
    .subarray(0, PROOF_BYTES);
}
