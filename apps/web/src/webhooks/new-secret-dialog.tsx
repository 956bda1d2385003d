import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { webhooks } from '../texts/webhooks.ts';

const { secret: texts } = webhooks;

/** Shows the secret of a webhook. It is not cached, so it is shown only once. */
export function NewSecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <Dialog title={texts.title} onClose={onClose} leave={copied ? null : { ...texts.leave, run: onClose }}>
      <DialogBody>
        <p className="notice">{texts.text}</p>
        <CopyText text={secret} label={texts.copy} copied={texts.copied} onCopied={() => setCopied(true)} autofocus />
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
