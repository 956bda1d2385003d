import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useState } from 'preact/hooks';

/** Renders a dialog, given the function that closes it. */
type RenderDialog = (close: () => void) => ComponentChildren;

const AboveViewsContext = createContext<(render: RenderDialog) => void>(null!);

/** Shows dialogs above whatever view is open, also above one that was opened after the dialog was asked for. */
export function AboveViews({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<{ render: RenderDialog } | null>(null);
  const show = useCallback((render: RenderDialog) => setShown({ render }), []);
  return (
    <AboveViewsContext value={show}>
      {children}
      {shown?.render(() => setShown(null))}
    </AboveViewsContext>
  );
}

/** Returns the function that shows a dialog for what is shown once and must not get lost with a view. */
export function useAboveViews(): (render: RenderDialog) => void {
  return useContext(AboveViewsContext);
}
