import type { QueryClient } from '@tanstack/preact-query';
import { readSessionState } from './api/session-store.ts';
import { listInAddress } from './links/link-query.ts';
import { linkPage } from './links/use-links.ts';
import { ME } from './session/account.ts';

/** Takes what `main.ts` has asked for into the cache of responses, as soon as it arrives. */
export async function loadFirstView(queryClient: QueryClient): Promise<void> {
  if (readSessionState().kind !== 'active') return;
  const list = listInAddress(location);
  await Promise.all([queryClient.prefetchQuery(ME), list && queryClient.prefetchQuery(linkPage(list))]);
}
