import { useQuery } from '@tanstack/preact-query';
import { BarChart3, Globe, Hash, History, Link2, ListChecks, LogOut, Settings, WifiOff } from 'lucide';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { AboveViews } from '../components/above-views.tsx';
import { IconButton } from '../components/button.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { useExternalValue } from '../external-value.ts';
import { JobWatcher } from '../jobs/job-watcher.tsx';
import { BRAND_NAME, LOGO } from '../page-facts.ts';
import { Link, useLocation } from '../router.tsx';
import { useAccount, useMe } from '../session/account.ts';
import { signOut, switchAccount } from '../session/sign-in.ts';
import { shared } from '../texts/shared.ts';
import { CrashBoundary } from './crash-boundary.tsx';
import { RateNotice } from './rate-notice.tsx';
import { SessionEnd } from './session-end.tsx';
import './shell.css';

const VIEWS = [
  { path: '/links', text: shared.nav.links, icon: Link2 },
  { path: '/analytics', text: shared.nav.analytics, icon: BarChart3 },
  { path: '/hashtags', text: shared.nav.hashtags, icon: Hash },
  { path: '/hosts', text: shared.nav.hosts, icon: Globe },
  { path: '/jobs', text: shared.nav.jobs, icon: ListChecks },
  { path: '/activity', text: shared.nav.activity, icon: History },
  { path: '/settings', text: shared.nav.settings, icon: Settings },
];

/** Keeps the height of a line. */
const NOTHING_YET = '\u00a0';

/** The frame around each view: the navigation, the account and a notice while the browser is offline. */
export function Shell({ children }: { children: ComponentChildren }) {
  const me = useMe();
  const account = useAccount();
  const person = account?.person;
  const [location] = useLocation();
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {shared.nav.skip}
      </a>
      <header className="shell-side">
        <div className="shell-brand">
          <img src={LOGO} alt="" width="28" height="28" />
          <span translate={false}>{BRAND_NAME}</span>
        </div>
        <nav className="shell-nav" aria-label={shared.nav.label}>
          {VIEWS.map(({ path, text, icon: node }) => (
            <Link
              key={path}
              href={path}
              aria-current={location === path ? 'page' : location.startsWith(`${path}/`) || undefined}
            >
              <Icon of={node} size={18} />
              {text}
            </Link>
          ))}
        </nav>
        <OfflineNotice />
        <div className="shell-account">
          <div className="shell-account-text">
            {person ? (
              <>
                <AccountName name={account.username} />
                <Words text={`${person.name}, ${person.role}`} verbatim={person.name} />
              </>
            ) : (
              <>
                <strong translate={false}>{account?.username ?? NOTHING_YET}</strong>
                <Words text={account ? shared.account.plan(account.plan) : NOTHING_YET} />
              </>
            )}
          </div>
          <IconButton label={shared.account.signOut} onClick={signOut}>
            <Icon of={LogOut} size={18} />
          </IconButton>
        </div>
      </header>
      <main className="shell-main" id="content" tabIndex={-1}>
        <SessionEnd />
        {me.isError && me.data === undefined && <ErrorState error={me.error} onRetry={() => void me.refetch()} />}
        <AboveViews>
          <CrashBoundary key={location}>{children}</CrashBoundary>
        </AboveViews>
      </main>
      <JobWatcher />
      <RateNotice />
    </div>
  );
}

/** The account of a person, with a choice if they have several. */
function AccountName({ name }: { name: string }) {
  const { data } = useQuery({
    queryKey: ['accounts'],
    queryFn: ({ signal }) => api('GET /api/v1/me/accounts', { signal }),
  });
  const [, navigate] = useLocation();
  const toast = useToast();
  if (!data?.accounts[1]) return <strong translate={false}>{name}</strong>;
  return (
    <select
      className="control"
      aria-label={shared.account.switch}
      translate={false}
      value={name}
      onChange={(event) =>
        switchAccount(event.currentTarget.value).then(
          () => navigate('/links'),
          (error) => toast({ text: messageOf(error), danger: true }),
        )
      }
    >
      {data.accounts.map(({ username }) => (
        <option key={username}>{username}</option>
      ))}
    </select>
  );
}

function OfflineNotice() {
  const online = useExternalValue(subscribeToNetwork, isOnline);
  return (
    <div className="shell-notice" role="status">
      {!online && (
        <p className="notice">
          <Icon of={WifiOff} size={16} />
          {shared.noResponse.offline}
        </p>
      )}
    </div>
  );
}

const isOnline = () => navigator.onLine;

function subscribeToNetwork(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
