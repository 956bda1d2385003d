import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { shared } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFooter } from './dialog.tsx';

interface ConfirmDialogProps {
  title: string;
  /** What will happen, and that it cannot be undone. */
  children: ComponentChildren;
  /** The text of the button: the verb. */
  action: string;
  /** Does it. If it throws, the dialog stays open and shows the message. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const confirm = async () => {
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
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        {children}
        {error && (
          <p className="notice notice-danger" role="alert">
            {error}
          </p>
        )}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{shared.cancel}</Button>
        <Button variant="danger" busy={busy} onClick={confirm}>
          {action}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
