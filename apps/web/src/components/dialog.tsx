import { X } from 'lucide';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shared } from '../texts/shared.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
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

export interface DialogProps {
  title: string;
  /** The part of the title that a translator must leave as it is. */
  verbatim?: string | undefined;
  /** Called when the user closes the dialog by Escape or by one of its buttons. The parent then stops rendering it. */
  onClose: () => void;
  /** Asked before Escape, these buttons, the browser's Back, another view or a reload closes the dialog. */
  leave?: LeaveQuestion | null;
  /**
   * True while a change is in progress, which cannot be cancelled. Until its response, the dialog takes no input and does
   * not close.
   */
  busy?: boolean;
  /** `side` is a panel at the edge of the screen, for long forms. */
  placement?: 'center' | 'side';
  children: ComponentChildren;
}

/** Closes the dialog around, as Escape does. */
const CloseContext = createContext<() => void>(null!);

const FIRST_FIELD = '.dialog-body :is([autofocus], input, select, textarea), .dialog-footer button';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside. When it closes, the focus returns
 * to where it was.
 */
export function Dialog(props: DialogProps) {
  const { title, verbatim, onClose, leave = null, busy = false, placement = 'center', children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const status = useRef<HTMLSpanElement>(null);
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
  useLayoutEffect(() => {
    if (!busy) return;
    const before = document.activeElement;
    status.current!.focus();
    return () => {
      const dialog = ref.current;
      // The refused field, or else the element that had the focus before, if it still exists.
      const last = dialog?.contains(before) ? before : dialog?.querySelector(FIRST_FIELD);
      const refused = dialog?.querySelector('[aria-invalid]');
      const next = refused ?? last;
      // Without a refused field, a notice may be in view.
      if (next instanceof HTMLElement) next.focus({ preventScroll: !refused });
    };
  }, [busy]);
  // As soon as the dialog shows that it is busy, because a step back would otherwise open a question over it.
  useLayoutEffect(() => {
    if (!asks) setAsking(false);
    if (!asks && !busy) return;
    const onNavigate = (event: NavigateEvent) => {
      if (!['traverse', 'push'].includes(event.navigationType) || !event.cancelable) return;
      event.preventDefault();
      if (!busy) setAsking(true);
    };
    addEventListener('beforeunload', askBeforeUnload);
    // Older browsers go back without a question.
    window.navigation?.addEventListener('navigate', onNavigate);
    return () => {
      removeEventListener('beforeunload', askBeforeUnload);
      window.navigation?.removeEventListener('navigate', onNavigate);
    };
  }, [asks, busy]);
  const close = () => {
    if (busy) return;
    if (asks) setAsking(true);
    else onClose();
  };
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
        {busy && (
          <span ref={status} className="quiet" role="status" tabIndex={-1}>
            {shared.working}
          </span>
        )}
        <IconButton label={shared.close} disabled={busy} onClick={close}>
          <Icon of={X} size={18} />
        </IconButton>
      </header>
      <div className="dialog-content" inert={busy}>
        <CloseContext value={close}>{children}</CloseContext>
      </div>
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

/** Closes the dialog around it. */
export function CancelButton() {
  return <Button onClick={useContext(CloseContext)}>{shared.cancel}</Button>;
}
