import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { readSessionState, subscribeToSession } from '../api/session-store.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useToast } from '../components/toast.tsx';
import { useExternalValue } from '../external-value.ts';
import { declinePasskey } from '../session/passkey-offer.ts';
import { session } from '../texts/session.ts';
import { usePasskeyActions } from './passkeys.ts';
import './passkey-offer.css';

const { offer: texts } = session;
const DEVICES = /iPhone|iPad|Android|Windows|Mac|CrOS|Linux/;

/** Offers a passkey in a session that a sign-in link began. `onClose` is called before it goes, with its buttons. */
export function PasskeyOffer({ onClose }: { onClose: () => void }) {
  const state = useExternalValue(subscribeToSession, readSessionState);
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useBusy();
  const { add } = usePasskeyActions();
  const toast = useToast();
  if (state.kind !== 'active' || !state.session.offersPasskey) return null;
  const { username } = state.session;
  const save = async () => {
    setError(null);
    try {
      await add(DEVICES.exec(navigator.userAgent)?.[0] ?? texts.device);
      toast({ text: session.passkey.added });
      onClose();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <section className="card passkey-offer" aria-labelledby="passkey-offer">
      <div>
        <h2 id="passkey-offer">{texts.title}</h2>
        <p className="quiet">{texts.text}</p>
      </div>
      <div className="passkey-offer-actions">
        <Button
          onClick={() => {
            declinePasskey(username!);
            onClose();
          }}
        >
          {texts.notNow}
        </Button>
        <Button busy={busy} onClick={() => run(save)}>
          {session.passkey.add}
        </Button>
      </div>
      <ErrorNotice text={error} />
    </section>
  );
}
