import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { readSessionState, type SessionState, subscribeToSession, viewsOf } from '../api/session-store.ts';
import { PageLoading } from '../components/page-loading.tsx';
import { ToastProvider, useToast } from '../components/toast.tsx';
import { useExternalValue } from '../external-value.ts';
import { session as texts } from '../texts/session.ts';
import { AccountContext, useMe } from './account.ts';
import { PlanPage, SignedOutPage } from './signed-out-page.tsx';

const PLANS_WITH_DASHBOARD = ['developer', 'business'];

/**
 * Shows the dashboard to users who are signed in, and the sign-in page to all others. When a session expires, that page
 * covers the views, which stay as they are.
 */
export function SessionGate({ children }: { children: ComponentChildren }) {
  const state = useExternalValue(subscribeToSession, readSessionState);
  const page = state.kind === 'active' ? null : <SignInPage state={state} />;
  if (state.owner === null) return page;
  return (
    <>
      {/* With its own toasts: those of one account are not shown to the next one. */}
      <ToastProvider key={viewsOf(state.owner)}>
        <SignedIn>{children}</SignedIn>
      </ToastProvider>
      {page && <Cover>{page}</Cover>}
    </>
  );
}

function SignInPage({ state }: { state: Exclude<SessionState, { kind: 'active' }> }) {
  return (
    <ToastProvider>{state.kind === 'signing-in' ? <PageLoading /> : <SignedOutPage state={state} />}</ToastProvider>
  );
}

function SignedIn({ children }: { children: ComponentChildren }) {
  const toast = useToast();
  useEffect(() => {
    const state = readSessionState();
    if (state.kind === 'active' && state.replaced) toast({ text: texts.otherTab(state.session.username) });
  }, [toast]);
  const me = useMe();
  if (me.data && !PLANS_WITH_DASHBOARD.includes(me.data.plan)) return <PlanPage account={me.data} />;
  // Meanwhile, the view loads its own data.
  return <AccountContext value={me.data ?? null}>{children}</AccountContext>;
}

/** Covers the page and its dialogs. It cannot be closed. */
function Cover({ children }: { children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="signed-out-cover"
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget: dialog }) => {
        // A browser closes a dialog without `cancel` if Escape is pressed again and again.
        if (dialog.isConnected) dialog.showModal();
      }}
    >
      {children}
    </dialog>
  );
}
