import { readSessionState, subscribeToSession } from '../api/session-store.ts';
import { Button } from '../components/button.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Words } from '../components/words.tsx';
import { useExternalValue } from '../external-value.ts';
import { useAccount } from '../session/account.ts';
import { mayManage, useRole } from '../session/role.ts';
import { signOut } from '../session/sign-in.ts';
import { settings } from '../texts/settings.ts';
import { shared } from '../texts/shared.ts';
import { KeyCard } from './key-card.tsx';
import { SCOPES, useKeys, useRestrictedKeys } from './keys.ts';
import { McpConfiguration } from './mcp-configuration.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { RestrictedKeysSection } from './restricted-keys-section.tsx';
import './settings-page.css';

/** The view at `/app/settings`. */
export function SettingsPage() {
  const canManage = mayManage(useRole());
  return (
    <>
      <PageHeader title={settings.title} />
      <div className="settings">{canManage ? <AllSettings /> : <SessionSection />}</div>
    </>
  );
}

function AllSettings() {
  const { data, error, isPending, isError, refetch } = useKeys();
  const restricted = useRestrictedKeys();
  return (
    <>
      <section className="card settings-section">
        <h2>{settings.keys.title}</h2>
        <p className="quiet">{settings.keys.text}</p>
        {isError && data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="keys" aria-busy={isPending}>
            {SCOPES.map((scope) => (
              <KeyCard
                key={scope}
                scope={scope}
                apiKey={data === undefined ? 'loading' : data.keys.find((key) => key.scope === scope)}
              />
            ))}
          </div>
        )}
      </section>
      <RestrictedKeysSection query={restricted} />
      {/* What is below waits, so that nothing moves when they come. */}
      {!restricted.isLoading && (
        <>
          <section className="card settings-section">
            <h2>{settings.mcp.title}</h2>
            <p className="quiet">{settings.mcp.text}</p>
            <McpConfiguration />
          </section>
          <SessionSection />
          <PasskeysSection />
        </>
      )}
    </>
  );
}

function SessionSection() {
  const account = useAccount();
  const state = useExternalValue(subscribeToSession, readSessionState);
  if (state.kind !== 'active' || !account) return null;
  return (
    <section className="card settings-section">
      <h2>{settings.session.title}</h2>
      <p className="quiet">
        <Words text={settings.session.text(account.username)} verbatim={account.username} />
      </p>
      <p className="quiet">{state.isKept ? settings.session.kept : settings.session.notKept}</p>
      <div>
        <Button onClick={signOut}>{shared.account.signOut}</Button>
      </div>
    </section>
  );
}
