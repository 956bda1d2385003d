import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { faultOfWindow } from './custom-window.ts';

interface CustomWindowDialogProps {
  from: string;
  to: string;
  /** The date of today in the view's time zone. */
  today: string;
  onShow: (window: { from: string; to: string }) => void;
  onClose: () => void;
}

/** Asks for the first and the last day of a window. */
export function CustomWindowDialog({ today, onShow, onClose, ...shown }: CustomWindowDialogProps) {
  const [from, setFrom] = useState(shown.from);
  const [to, setTo] = useState(shown.to);
  const [fault, setFault] = useState<string | null>(null);

  function show(event: Event) {
    event.preventDefault();
    const found = faultOfWindow(from, to, today);
    setFault(found);
    if (found === null) onShow({ from, to });
  }
  const day = { type: 'date', max: today } as const;
  return (
    <Dialog title={texts.window.custom} onClose={onClose}>
      <form onSubmit={show} noValidate>
        <DialogBody>
          <div className="custom-window">
            <TextField
              {...day}
              label={texts.window.from}
              value={from}
              onInput={({ currentTarget }) => setFrom(currentTarget.value)}
            />
            <TextField
              {...day}
              label={texts.window.to}
              value={to}
              onInput={({ currentTarget }) => setTo(currentTarget.value)}
            />
          </div>
          <p className="field-error" role="alert">
            {fault}
          </p>
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant="primary">
            {texts.window.apply}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
