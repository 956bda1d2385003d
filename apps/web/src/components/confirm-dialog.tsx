import type { ComponentChildren } from 'preact';
import { DialogForm, type DialogFormProps } from './dialog-form.tsx';

interface ConfirmDialogProps
  extends Pick<DialogFormProps<never>, 'title' | 'verbatim' | 'action' | 'uncertain' | 'onClose'> {
  /** What will happen, and that it cannot be undone. Also fields that must be filled in first. */
  children: ComponentChildren;
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ children, onConfirm, ...dialog }: ConfirmDialogProps) {
  return (
    <DialogForm {...dialog} variant="danger" onSubmit={onConfirm}>
      {() => children}
    </DialogForm>
  );
}
