import { X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shared } from '../texts/shared.ts';
import { Button, IconButton } from './button.tsx';
import { askBeforeUnload } from './long-work.ts';
import { ToastRegion } from './toast.tsx';
import { Words } from './words.tsx';
import './dialog.css';

/** What to ask before a dialog closes, because something would be lost. */
export interface LeaveQuestion {
  title: string;
  text: string;
  /** The button that leaves. */
  action: string;
  /** The button that does not. */
  stay: string;
  /** Called when the user leaves. */
  run: () => void;
}

interface DialogProps {
  title: string;
  /** The part of the title that a translator must leave as it is. */
  verbatim?: string | undefined;
  /** Called when the user closes the dialog by Escape or by the button. The parent then stops rendering it. */
  onClose: () => void;
  /** Asked before Escape, the button, the browser's Back, another view or a reload closes the dialog. */
  leave?: LeaveQuestion | null;
  /** `side` is a panel at the edge of the screen, for long forms. */
  placement?: 'center' | 'side';
  children: ComponentChildren;
}

const FIRST_FIELD = '.dialog-body :is([autofocus], input, select, textarea), .dialog-footer button';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside. When it closes, the focus returns
 * to where it was.
 */
export function Dialog({ title, verbatim, onClose, leave = null, placement = 'center', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const [asking, setAsking] = useState(false);
  const titleId = useId();
  const asks = leave !== null;
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const before = document.activeElement;
    dialog.showModal();
    // The first field, or else the first button below: not the button that closes.
    dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    if (!asks) return;
    const onNavigate = (event: NavigateEvent) => {
      if (!['traverse', 'push'].includes(event.navigationType) || !event.cancelable) return;
      event.preventDefault();
      setAsking(true);
    };
    addEventListener('beforeunload', askBeforeUnload);
    // Older browsers go back without a question.
    window.navigation?.addEventListener('navigate', onNavigate);
    return () => {
      removeEventListener('beforeunload', askBeforeUnload);
      window.navigation?.removeEventListener('navigate', onNavigate);
    };
  }, [asks]);
  const close = () => (asks ? setAsking(true) : onClose());
  return (
    <dialog
      ref={ref}
      className={`dialog dialog-${placement}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // Only of this dialog, not of a file input in it.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      onClose={(event) => {
        // A browser closes a dialog without `cancel` if Escape is pressed again and again.
        const dialog = event.currentTarget;
        if (event.target !== dialog || dialog.open || !dialog.isConnected) return;
        dialog.showModal();
        close();
      }}
    >
      <header className="dialog-header">
        <h2 id={titleId}>
          <Words text={title} verbatim={verbatim} />
        </h2>
        <IconButton label={shared.close} onClick={close}>
          <X aria-hidden size={18} />
        </IconButton>
      </header>
      {children}
      {leave && asking && (
        <Dialog title={leave.title} onClose={() => setAsking(false)}>
          <DialogBody>
            <p>{leave.text}</p>
          </DialogBody>
          <DialogFooter>
            <Button onClick={() => setAsking(false)}>{leave.stay}</Button>
            <Button
              variant="danger"
              onClick={() => {
                setAsking(false);
                leave.run();
              }}
            >
              {leave.action}
            </Button>
          </DialogFooter>
        </Dialog>
      )}
      <ToastRegion />
    </dialog>
  );
}

/** The part of a dialog that scrolls. */
export function DialogBody({ children }: { children: ComponentChildren }) {
  return <div className="dialog-body">{children}</div>;
}

/** The buttons of a dialog. The last one is its main action. */
export function DialogFooter({ children }: { children: ComponentChildren }) {
  return <footer className="dialog-footer">{children}</footer>;
}
