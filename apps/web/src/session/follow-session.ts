import type { QueryClient } from '@tanstack/preact-query';
import { followOtherTabs, readSessionState, subscribeToSession, viewsOf } from '../api/session-store.ts';

/** Keeps this tab and its cache true to the session of the browser. Call it before anything is rendered. */
export function followSession(queryClient: QueryClient): void {
  let views = viewsOf(readSessionState().owner);
  followOtherTabs();
  subscribeToSession(() => {
    const state = readSessionState();
    // Nothing of one account may be shown to the next one.
    if (viewsOf(state.owner) !== views) queryClient.clear();
    else if (state.kind === 'active') void queryClient.invalidateQueries();
    views = viewsOf(state.owner);
  });
}
