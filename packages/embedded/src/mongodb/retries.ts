import { decodeDocument } from './bson/decode.ts';
import { encodeDocument } from './bson/encode.ts';
import type { Document } from './bson/values.ts';
import type { Request } from './commands/request.ts';
import { CommandError } from './errors.ts';
import type { Store } from './storage/store.ts';

/** How long a session's last reply is kept, as MongoDB's session timeout. */
const KEEP_MS = 30 * 60 * 1000;

/**
 * Runs a retryable write at most once: the same session and `txnNumber` again gives the first reply again. The reply is
 * stored in the transaction of the write itself, so that this holds across a lost connection and a killed server. Only
 * inside a write. Throws TransactionTooOld (225) for a number below the session's last.
 */
export function answerOnce(request: Request, run: () => Document): Document {
  const { body, session, state } = request;
  const { txnNumber } = body;
  if (typeof txnNumber !== 'bigint' || session === undefined) return run();
  const { sessions } = state.store;
  const stored = sessions.get(session);
  if (stored) {
    const last = decodeDocument(stored);
    if (last.number === txnNumber) return last.reply as Document;
    if ((last.number as bigint) > txnNumber) {
      throw new CommandError(
        225,
        `Retryable write with txnNumber ${txnNumber} is prohibited on session ${session} because a newer retryable write with txnNumber ${last.number} has already started on this session.`,
      );
    }
  }
  const reply = run();
  sessions.putSync(session, encodeDocument({ number: txnNumber, at: new Date(), reply }));
  return reply;
}

/** Forgets the replies of sessions that wrote nothing for half an hour. Only inside a write. */
export function forgetOldReplies({ sessions }: Store, now = Date.now()): void {
  const old: string[] = [];
  for (const { key, value } of sessions.getRange({})) {
    const { at } = decodeDocument(value, new Set(['at']));
    if (now - (at as Date).getTime() > KEEP_MS) old.push(key);
  }
  for (const key of old) sessions.removeSync(key);
}
