import type { ComponentProps, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { loadScript } from '../api/no-response.ts';
import { useToast } from '../components/toast.tsx';

type LinkFormProps = ComponentProps<typeof import('../other-views.ts').LinkForm>;

const load = async () => (await import('../other-views.ts')).LinkForm;

/** Shows the form of a link once its script is loaded. Says why if that fails. */
export function LazyLinkForm(props: LinkFormProps) {
  const [loaded, setLoaded] = useState<{ Form: ComponentType<LinkFormProps> } | null>(null);
  const toast = useToast();
  const { onClose } = props;
  useEffect(() => {
    loadScript(load).then(
      (Form) => setLoaded({ Form }),
      (error: unknown) => {
        toast({ text: messageOf(error), danger: true });
        onClose();
      },
    );
    // Once: `onClose` is another function at each render.
  }, []);
  return loaded && <loaded.Form {...props} />;
}
