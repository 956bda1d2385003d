import { serverNow } from '../api/server-clock.ts';
import { readSessionState, subscribeToSession } from '../api/session-store.ts';
import { Words } from '../components/words.tsx';
import { useExternalValue } from '../external-value.ts';
import { useAccount } from '../session/account.ts';
import { minuteText } from '../texts/locale.ts';
import { session } from '../texts/session.ts';

/** A working day: whoever needs a link from the operator can ask for it. */
const SAID_BEFORE_MS = 12 * 3_600_000;

/** Says in each view when the session ends for good, in its last hours. */
export function SessionEnd() {
  const { owner } = useExternalValue(subscribeToSession, readSessionState);
  const endsAt = owner?.endsAt ?? Number.POSITIVE_INFINITY;
  // Once there is an account, the time of the server is known.
  if (useAccount() === null || endsAt - serverNow().getTime() > SAID_BEFORE_MS) return null;
  return (
    <p className="notice session-end" role="status">
      <Words text={session.ends(minuteText(new Date(endsAt)))} />
    </p>
  );
}
