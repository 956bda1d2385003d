import type { Logger } from '@waymark/service-kit';
import type { SessionDocument } from '../database/documents/session.ts';
import { Uses } from '../uses.ts';
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';

/** How much the end of a session in use may lag. */
const EXTEND_EVERY_MS = 10_000;

export interface SessionUsesDeps {
  sessions: Pick<SessionsStore, 'setEnd'>;
  /** The clock, in milliseconds. */
  now: () => number;
  logger: Logger;
}

/** Moves the end of a session when it is used. */
export function createSessionUses({ sessions, now, logger }: SessionUsesDeps): Uses<SessionDocument> {
  return new Uses({
    what: 'a session',
    idOf: ({ _id }) => _id,
    write({ _id, created_at, expires_at }) {
      const end = Math.min(now() + SESSION_IDLE_MS, created_at.getTime() + SESSION_LIFETIME_MS);
      return end - expires_at.getTime() < EXTEND_EVERY_MS ? null : sessions.setEnd(_id, new Date(end));
    },
    logger,
  });
}
