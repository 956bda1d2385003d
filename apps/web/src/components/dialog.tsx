import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { shared } from '../texts/shared.ts';
import { IconButton } from './button.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  /** Called when the user closes the dialog by Escape or by the button. The parent then stops rendering it. */
  onClose: () => void;
  /** `side` is a panel at the edge of the screen, for long forms. */
  placement?: 'center' | 'side';
  children: ReactNode;
}

const FIRST_FIELD = '.dialog-body :is(input, select, textarea), .dialog-footer button';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside. When it closes, the focus returns
 * to where it was.
 */
export function Dialog({ title, onClose, placement = 'center', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
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
  return (
    <dialog
      ref={ref}
      className={`dialog dialog-${placement}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // Only of this dialog, not of a file input in it.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-header">
        <h2 id={titleId}>{title}</h2>
        <IconButton label={shared.close} onClick={onClose}>
          <X aria-hidden size={18} />
        </IconButton>
      </header>
      {children}
    </dialog>
  );
}

/** The part of a dialog that scrolls. */
export function DialogBody({ children }: { children: ReactNode }) {
  return <div className="dialog-body">{children}</div>;
}

/** The buttons of a dialog: the last one is what the dialog is for. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return <footer className="dialog-footer">{children}</footer>;
}
