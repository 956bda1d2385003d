import { Long } from 'bson';
import { decode, encode, pickFields } from './bson/bson.ts';
import type { Document } from './bson/values.ts';
import { CommandError } from './errors.ts';
import type { View } from './storage/view.ts';

/** How long a session's last reply is kept, equal to MongoDB's session timeout. */
const KEEP_MS = 30 * 60 * 1000;

/** The last retryable write or committed transaction of a session. */
interface SessionWrite {
  session: string;
  number: bigint;
  reply: Document;
  isTransaction: boolean;
}

/** Returns the session's last write, or undefined. */
export function lastWriteOf({ sessions }: View, session: string): SessionWrite | undefined {
  const stored = sessions.get(session);
  if (!stored) return undefined;
  const { number, reply, isTransaction } = decode(stored);
  return {
    session,
    number: (number as Long).toBigInt(),
    reply: reply as Document,
    isTransaction: isTransaction === true,
  };
}

/** A write as it arrived, with the view of the writer. */
interface RetryableWrite {
  body: Document;
  session: string | undefined;
  view: View;
}

/** Stores the session's last write in the transaction of that write, so that it also holds for a killed server. */
export function rememberWrite({ sessions }: View, { session, number, reply, isTransaction }: SessionWrite): void {
  sessions.putSync(session, encode({ number, at: new Date(), reply, isTransaction }));
}

/**
 * Runs a retryable write at most once: a repeated `txnNumber` of the same session returns the first reply, also after a
 * lost connection. Only inside a write. Throws TransactionTooOld (225) for a number below the session's last.
 */
export function replyOnce({ body, session, view }: RetryableWrite, run: () => Document): Document {
  if (!(body.txnNumber instanceof Long) || session === undefined) return run();
  const number = body.txnNumber.toBigInt();
  const last = lastWriteOf(view, session);
  if (last?.number === number) {
    if (last.isTransaction) throw new CommandError(117, `${number} is the number of a transaction of this session`);
    return last.reply;
  }
  if (last && last.number > number) {
    throw new CommandError(
      225,
      `Retryable write with txnNumber ${number} is prohibited on session ${session} because a newer retryable write with txnNumber ${last.number} has already started on this session.`,
    );
  }
  const reply = run();
  rememberWrite(view, { session, number, reply, isTransaction: false });
  return reply;
}

/** Deletes the replies of sessions that wrote nothing for half an hour. Only inside a write. */
export function forgetOldReplies({ sessions }: View, now = Date.now()): void {
  const old: string[] = [];
  for (const { key, value } of sessions.getRange({})) {
    const { at } = decode(pickFields(value, (name) => name === 'at'));
    if (now - (at as Date).getTime() > KEEP_MS) old.push(key);
  }
  for (const key of old) sessions.removeSync(key);
}
