import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, dataOf } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { useExternalValue } from '../external-value.ts';
import { PageLoading } from '../layout/page-loading.tsx';
import { AccountContext } from './account.ts';
import { readSessionState, type Session, subscribeToSession } from './session-store.ts';
import { PlanPage, SignedOutPage } from './signed-out-page.tsx';

const PLANS_WITH_DASHBOARD = ['developer', 'business'];

/** Shows the dashboard to users who are signed in, and the sign-in page to all others. */
export function SessionGate({ children }: { children: ComponentChildren }) {
  const state = useExternalValue(subscribeToSession, readSessionState);
  const queryClient = useQueryClient();
  const signedIn = state.kind === 'active';
  useEffect(() => {
    // Nothing of one account may be shown to the next one in this tab.
    if (!signedIn) queryClient.clear();
  }, [signedIn, queryClient]);
  if (state.kind === 'signing-in') return <PageLoading />;
  if (!signedIn) return <SignedOutPage state={state} />;
  return <SignedIn session={state.session}>{children}</SignedIn>;
}

function SignedIn({ session, children }: { session: Session; children: ComponentChildren }) {
  const me = useQuery({
    queryKey: ['me', session.token],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/me', { signal })),
  });
  // After a failed background refetch, the page and what is open in it stay.
  if (me.isError && me.data === undefined) return <ErrorState error={me.error} onRetry={() => void me.refetch()} />;
  if (me.data && !PLANS_WITH_DASHBOARD.includes(me.data.plan)) return <PlanPage account={me.data} />;
  // The view loads its own data meanwhile.
  return <AccountContext value={me.data ?? null}>{children}</AccountContext>;
}
