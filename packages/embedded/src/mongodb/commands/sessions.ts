import { type Document, isDocument } from '../bson/values.ts';
import { notSupported } from '../errors.ts';
import { OK } from './ok.ts';
import { arrayField, type Command, type Request, sessionOf } from './request.ts';

/** Ends sessions with their cursors, snapshots and transactions. */
export const endSessions: Command = { fields: [], run: (request) => end(request, sessionsIn(request)) };

/** Does the same. Another connection than that of the session may send it, to stop a transaction at once. */
export const killSessions: Command = {
  fields: [],
  run(request) {
    const sessions = sessionsIn(request);
    if (sessions.length === 0) throw notSupported('killSessions of all sessions');
    return end(request, sessions);
  },
};

function sessionsIn({ body, name }: Request): string[] {
  return (arrayField(body, name) ?? []).flatMap((lsid) => (isDocument(lsid) ? (sessionOf({ lsid }) ?? []) : []));
}

async function end({ state }: Request, sessions: readonly string[]): Promise<Document> {
  for (const session of sessions) {
    state.cursors.killSession(session);
    state.snapshots.end(session);
    await state.transactions.endSession(session);
  }
  return { ok: OK };
}
