import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import icon from '../layout/icon.svg';
import { session } from '../texts/session.ts';
import { shared } from '../texts/shared.ts';
import type { Account } from './account.ts';
import type { SessionState } from './session-store.ts';
import { signOut } from './sign-in.ts';
import './signed-out-page.css';

/** Tells how to sign in, and why the last link or session does not work. */
export function SignedOutPage({ state }: { state: Extract<SessionState, { kind: 'none' | 'failed' }> }) {
  const { signedOut, failed } = session;
  const refused = state.kind === 'failed' && state.error.status === 401;
  return (
    <Card title={state.kind === 'failed' ? failed.title : signedOut.title}>
      {state.kind === 'none' && state.reason !== 'new' && (
        <p className="notice" role="status">
          {signedOut.reasons[state.reason]}
        </p>
      )}
      {state.kind === 'failed' && !refused && (
        <p className="notice notice-danger" role="alert">
          {state.error.message}
        </p>
      )}
      <p>{refused ? failed.used : signedOut.text}</p>
      <CopyText text={signedOut.command} label={shared.copy} copied={signedOut.copied} />
      <p className="quiet">{signedOut.next}</p>
    </Card>
  );
}

/** Tells an account below the Developer plan what it has. */
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
    document.title = shared.title(title);
  }, [title]);
  return (
    <main className="signed-out">
      <div className="signed-out-card">
        <img src={icon} alt={shared.product} width="44" height="44" />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
