import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useBusy } from './busy.ts';
import { Button } from './button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from './dialog.tsx';
import { useLeft } from './left.ts';
import { useToast } from './toast.tsx';

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
  /** What else to say if nobody knows whether it was done. */
  uncertain?: string;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, verbatim, children, action, onConfirm, uncertain, onClose } = props;
  const { busy, run } = useBusy();
  const [error, setError] = useState<unknown>(null);
  const toast = useToast();
  const left = useLeft();
  const textOf = (thrown: unknown) =>
    [messageOf(thrown), thrown instanceof ApiError && thrown.isUncertain && uncertain].filter(Boolean).join(' ');
  const confirm = async () => {
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
      if (left.current) toast({ text: textOf(thrown), danger: true });
    }
  };
  return (
    <Dialog title={title} verbatim={verbatim} onClose={onClose} busy={busy}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(confirm);
        }}
      >
        <DialogBody>
          {children}
          {error !== null && (
            <p key={textOf(error)} className="notice notice-danger" role="alert">
              {textOf(error)}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant="danger">
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
