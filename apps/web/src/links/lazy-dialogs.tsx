import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { loadScript } from '../api/no-response.ts';
import { useToast } from '../components/toast.tsx';

/** The form of a link. */
export const LazyLinkForm = lazyDialog(async () => (await import('../other-views.ts')).LinkForm);
/** The saved filters of the list. */
export const LazySavedFilters = lazyDialog(async () => (await import('../other-views.ts')).SavedFiltersDialog);

/** Returns a dialog that appears once its script is loaded. It says why if that fails. */
function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  return (props) => {
    const [loaded, setLoaded] = useState<{ View: FunctionComponent<Props> } | null>(null);
    const toast = useToast();
    useEffect(() => {
      loadScript(load).then(
        (View) => setLoaded({ View }),
        (error: unknown) => {
          toast({ text: messageOf(error), danger: true });
          props.onClose();
        },
      );
      // Once: `onClose` is another function at each render.
    }, []);
    return loaded && <loaded.View {...props} />;
  };
}
