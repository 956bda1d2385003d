import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { loadScript } from '../api/no-response.ts';
import { PageLoading } from '../components/page-loading.tsx';

/** Shows a view once its script is loaded. Throws if that fails. */
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
  if ('error' in loaded) throw loaded.error;
  return <loaded.View />;
}
