import type { QueryClient } from '@tanstack/preact-query';
import { followOtherTabs, readSessionState, subscribeToSession, viewsOf } from '../api/session-store.ts';

/** Clears the cache of this tab when the account changes. Call it before anything is rendered. */
export function followSession(queryClient: QueryClient): void {
  let views = viewsOf(readSessionState().owner);
  followOtherTabs();
  subscribeToSession(() => {
    const state = readSessionState();
    // Data of one account must not be shown to another one.
    if (viewsOf(state.owner) !== views) queryClient.clear();
    else if (state.kind === 'active') void queryClient.invalidateQueries();
    views = viewsOf(state.owner);
  });
}
