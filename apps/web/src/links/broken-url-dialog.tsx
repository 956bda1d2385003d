import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { mendedUrl } from '../pasted-url.ts';
import { links } from '../texts/links.ts';

const { brokenUrl: texts } = links.form;

interface BrokenUrlDialogProps {
  url: string;
  /** Called with the URL to save: as it is, or without the white space. */
  onChoose: (url: string) => void;
  onClose: () => void;
}

/** Asks whether the white space inside of a URL belongs there. */
export function BrokenUrlDialog({ url, onChoose, onClose }: BrokenUrlDialogProps) {
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <DialogBody>
        <p>{texts.text}</p>
        <p key={url} className="broken-url" translate={false}>
          {url}
        </p>
      </DialogBody>
      <DialogFooter>
        <Button onClick={() => onChoose(url)}>{texts.keep}</Button>
        <Button variant="primary" onClick={() => onChoose(mendedUrl(url))}>
          {texts.remove}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
