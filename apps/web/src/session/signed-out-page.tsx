import type { Account } from '@waymark/contract';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import type { SessionState } from '../api/session-store.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { BRAND_NAME, LOGO, SIGN_IN_COMMAND, SIGN_IN_PROVIDER } from '../page-facts.ts';
import { session } from '../texts/session.ts';
import { shared } from '../texts/shared.ts';
import { rememberAskedView } from './asked-view.ts';
import { hasPasskeys } from './passkeys.ts';
import { signInAtProvider } from './provider.ts';
import { signInWithPasskey, signOut } from './sign-in.ts';
import './signed-out-page.css';

/** Tells how to sign in, and why the last link or session does not work. */
export function SignedOutPage({ state }: { state: Extract<SessionState, { kind: 'none' | 'failed' }> }) {
  const { signedOut, failed } = session;
  const refused = state.kind === 'failed' && state.error.status === 401;
  const isSignedOut = state.kind === 'none' && state.reason === 'signed-out';
  const username = state.owner?.username ?? signedOut.anyUsername;
  useEffect(() => {
    if (!isSignedOut) rememberAskedView();
  }, [isSignedOut]);
  return (
    <Card title={state.kind === 'failed' ? failed.title : signedOut.title(BRAND_NAME)}>
      {state.kind === 'none' && state.reason !== 'new' && (
        <p className="notice" role="status">
          {signedOut.reasons[state.reason]}
        </p>
      )}
      <ErrorNotice text={state.kind === 'failed' && !refused ? state.error.message : null} />
      {refused && <p>{failed.used}</p>}
      {SIGN_IN_PROVIDER !== '' && isSecureContext && (
        <>
          <Button variant="primary" onClick={signInAtProvider}>
            {signedOut.provider(SIGN_IN_PROVIDER)}
          </Button>
          <p className="quiet">{signedOut.noGroup}</p>
        </>
      )}
      {hasPasskeys && <PasskeySignIn />}
      <p>{signedOut.link}</p>
      {SIGN_IN_COMMAND !== '' && (
        <>
          <p>{signedOut.operator}</p>
          <CopyText text={`${SIGN_IN_COMMAND} ${username}`} label={shared.copy} copied={signedOut.copied} />
        </>
      )}
      <p className="quiet">{state.owner === null ? signedOut.next : signedOut.nextOverViews}</p>
    </Card>
  );
}

function PasskeySignIn() {
  const [error, setError] = useState<string | null>(null);
  const { busy, run } = useBusy();
  const signIn = async () => {
    setError(null);
    try {
      await signInWithPasskey();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <>
      <ErrorNotice text={error} />
      <Button variant={SIGN_IN_PROVIDER === '' ? 'primary' : 'secondary'} busy={busy} onClick={() => run(signIn)}>
        {session.passkey.signIn}
      </Button>
    </>
  );
}

/** Tells an account below the Developer plan that its plan has no dashboard. */
export function PlanPage({ account }: { account: Account }) {
  return (
    <Card title={session.plan.title}>
      <p>{session.plan.text(account.plan)}</p>
      <p className="quiet" translate={false}>
        {account.username}
      </p>
      <Button onClick={signOut}>{shared.account.signOut}</Button>
    </Card>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    const before = document.title;
    document.title = shared.title(title, BRAND_NAME);
    return () => {
      document.title = before;
    };
  }, [title]);
  return (
    <main className="signed-out">
      <div className="signed-out-card">
        <img src={LOGO} alt={BRAND_NAME} width="44" height="44" />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
