import { WaymarkError } from '@waymark/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { links } from '../texts/links.ts';
import { useBusy } from './busy.ts';
import { Button, type ButtonProps } from './button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter, type DialogProps } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { useLeft } from './left.ts';
import { useToast } from './toast.tsx';
import { Words } from './words.tsx';

export interface DialogFormProps<Name extends string> extends Pick<DialogProps, 'title' | 'verbatim' | 'placement'> {
  /** The fields by the API's names. What is wrong with one of them is shown there, and all else above the fields. */
  fields?: readonly Name[];
  /** The fields, given the function that returns what is wrong with one of them. */
  children: (errorAt: (name: Name) => string | null) => ComponentChildren;
  /** True if closing would lose something. Asks before it does. */
  isEdited?: boolean;
  /** The text of the button: the verb. Without one, there is nothing to do but to close. */
  action: string | false;
  variant?: ButtonProps['variant'];
  /** True while the button does nothing yet. */
  isWaiting?: boolean;
  /** Does it. If it throws, the dialog stays open and shows the message. */
  onSubmit: () => Promise<unknown>;
  /** What else to say if nobody knows whether it was done. */
  uncertain?: string | undefined;
  onClose: () => void;
}

/** A dialog with a form, which closes once it is done. */
export function DialogForm<Name extends string = never>(props: DialogFormProps<Name>) {
  const { fields = [], children, isEdited = false, action, variant = 'primary', isWaiting = false } = props;
  const { onSubmit, uncertain, onClose, ...dialog } = props;
  const [error, setError] = useState<unknown>(null);
  const { busy, run } = useBusy();
  const toast = useToast();
  const left = useLeft();
  const textOf = (thrown: unknown) =>
    [messageOf(thrown), thrown instanceof WaymarkError && thrown.isUncertain && uncertain].filter(Boolean).join(' ');
  const submit = async () => {
    setError(null);
    try {
      await onSubmit();
      onClose();
    } catch (thrown) {
      setError(thrown);
      if (left.current) toast({ text: textOf(thrown), danger: true });
    }
  };
  const field = error instanceof WaymarkError ? error.field : null;
  const isAtField = fields.includes(field as Name);
  return (
    <Dialog {...dialog} onClose={onClose} busy={busy} leave={isEdited ? { ...links.form.leave, run: onClose } : null}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(submit);
        }}
      >
        <DialogBody>
          <ErrorNotice text={error === null || isAtField ? null : textOf(error)} />
          {children((name) => (name === field ? messageOf(error) : null))}
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          {action && (
            <Button type="submit" variant={variant} busy={isWaiting}>
              <Words text={action} />
            </Button>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}
