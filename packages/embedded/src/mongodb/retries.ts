import { Long } from 'bson';
import { decode, encode, pickFields } from './bson/bson.ts';
import type { Document } from './bson/values.ts';
import type { Request } from './commands/request.ts';
import { CommandError } from './errors.ts';
import type { Store } from './storage/store.ts';

/** How long a session's last reply is kept, equal to MongoDB's session timeout. */
const KEEP_MS = 30 * 60 * 1000;

/**
 * Runs a retryable write at most once: a repeated `txnNumber` of the same session returns the first reply. The reply is
 * stored in the transaction of the write, so that this also holds after a lost connection or a killed server. Only
 * inside a write. Throws TransactionTooOld (225) for a number below the session's last.
 */
export function replyOnce(request: Request, run: () => Document): Document {
  const { body, session, state } = request;
  if (!(body.txnNumber instanceof Long) || session === undefined) return run();
  const txnNumber = body.txnNumber.toBigInt();
  const { sessions } = state.store;
  const stored = sessions.get(session);
  if (stored) {
    const { number, reply } = decode(stored);
    const last = (number as Long).toBigInt();
    if (last === txnNumber) return reply as Document;
    if (last > txnNumber) {
      throw new CommandError(
        225,
        `Retryable write with txnNumber ${txnNumber} is prohibited on session ${session} because a newer retryable write with txnNumber ${last} has already started on this session.`,
      );
    }
  }
  const reply = run();
  sessions.putSync(session, encode({ number: txnNumber, at: new Date(), reply }));
  return reply;
}

/** Deletes the replies of sessions that wrote nothing for half an hour. Only inside a write. */
export function forgetOldReplies({ sessions }: Store, now = Date.now()): void {
  const old: string[] = [];
  for (const { key, value } of sessions.getRange({})) {
    const { at } = decode(pickFields(value, (name) => name === 'at'));
    if (now - (at as Date).getTime() > KEEP_MS) old.push(key);
  }
  for (const key of old) sessions.removeSync(key);
}
