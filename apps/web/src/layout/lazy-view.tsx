import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { isServerReachable, loadScript } from '../api/no-response.ts';
import { PageLoading } from '../components/page-loading.tsx';
import { NotShown } from './not-shown.tsx';

/** Shows a view once its script is loaded, or says why it does not load. */
export function LazyView({ load }: { load: () => Promise<ComponentType> }) {
  const [loaded, setLoaded] = useState<{ View: ComponentType } | { error: unknown } | null>(null);
  // Before the next paint, so that a view that is already loaded appears at once.
  useLayoutEffect(() => {
    loadScript(load).then(
      (View) => setLoaded({ View }),
      (error: unknown) => setLoaded({ error }),
    );
  }, [load]);
  if (loaded === null) return <PageLoading />;
  if ('error' in loaded) return <NotShown error={loaded.error} onRetry={reloadIfReachable} />;
  return <loaded.View />;
}

/** Loads the page again if the server is back: Chromium never asks again for a script that did not load. */
async function reloadIfReachable(): Promise<void> {
  if (await isServerReachable()) location.reload();
}
