import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { shared } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFooter } from './dialog.tsx';

interface ConfirmDialogProps {
  title: string;
  /** The part of the title that a translator must leave as it is. */
  verbatim?: string;
  /** What will happen, and that it cannot be undone. Also fields that must be filled in first. */
  children: ComponentChildren;
  /** The text of the button: the verb. */
  action: string;
  /** Does it. If it throws, the dialog stays open and shows the message. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, verbatim, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(messageOf(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} verbatim={verbatim} onClose={onClose}>
      <form onSubmit={confirm}>
        <DialogBody>
          {children}
          {error && (
            <p key={error} className="notice notice-danger" role="alert">
              {error}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" variant="danger" busy={busy}>
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
