import { X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../api/server-clock.ts';
import { readSessionState, subscribeToSession } from '../api/session-store.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { useExternalValue } from '../external-value.ts';
import { useAccount } from '../session/account.ts';
import { minuteText } from '../texts/locale.ts';
import { session } from '../texts/session.ts';
import { shared } from '../texts/shared.ts';

/** A working day: whoever needs a link from the operator can ask for it. */
const SAID_BEFORE_MS = 12 * 3_600_000;

/** Says when the session ends for good, in its last hours, until it is dismissed. */
export function SessionEnd() {
  const { owner } = useExternalValue(subscribeToSession, readSessionState);
  const endsAt = owner?.endsAt;
  const [said, setSaid] = useState<number | null>(null);
  // By then, the time of the server is known.
  const account = useAccount();
  useEffect(() => {
    if (endsAt === undefined || account === null) return;
    const timer = setTimeout(setSaid, endsAt - SAID_BEFORE_MS - serverNow().getTime(), endsAt);
    return () => clearTimeout(timer);
  }, [endsAt, account]);
  return (
    <div role="status">
      {endsAt !== undefined && said === endsAt && (
        <p className="notice session-end">
          <Words text={session.ends(minuteText(new Date(endsAt)))} />
          <IconButton size="s" label={shared.dismiss} onClick={() => setSaid(null)}>
            <Icon of={X} size={16} />
          </IconButton>
        </p>
      )}
    </div>
  );
}
