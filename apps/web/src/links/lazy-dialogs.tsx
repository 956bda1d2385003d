import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { loadScript } from '../api/no-response.ts';
import { useToast } from '../components/toast.tsx';

type Views = typeof import('../other-views.ts');
type PropsOf<Name extends keyof Views> = Views[Name] extends (props: infer Props) => unknown ? Props : never;

/** The form of a link. */
export const LazyLinkForm = lazyDialog('LinkForm');
/** The saved filters of the list. */
export const LazySavedFilters = lazyDialog('SavedFiltersDialog');

/** Returns a dialog that appears once its script is loaded. It says why if that fails. */
function lazyDialog<Name extends 'LinkForm' | 'SavedFiltersDialog'>(name: Name): ComponentType<PropsOf<Name>> {
  const load = async () => (await import('../other-views.ts'))[name] as unknown as ComponentType<PropsOf<Name>>;
  return (props) => {
    const [loaded, setLoaded] = useState<{ View: ComponentType<PropsOf<Name>> } | null>(null);
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
