import type { Link } from '@waymark/contract';
import { Download } from 'lucide';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { saveFile } from '../save-file.ts';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import { loadQr, QR_FORMATS, type QrFormat, QrImage } from './qr-image.tsx';
import './qr-dialog.css';

/** The buttons that download the QR code of a short URL. */
export function QrDownloads({ link }: { link: Link }) {
  const toast = useToast();
  const download = async (format: QrFormat) => {
    try {
      saveFile(await loadQr(link.id, format), `${link.slug}.${format}`);
    } catch (thrown) {
      toast({ text: messageOf(thrown), danger: true });
    }
  };
  return (
    <>
      {QR_FORMATS.map((format) => (
        <Button key={format} onClick={() => download(format)}>
          <Icon of={Download} size={16} />
          {links.qr.download(format)}
        </Button>
      ))}
    </>
  );
}

/** Shows the QR code of a short URL, to look at and to download. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const name = linkName(link);
  return (
    <Dialog title={links.qr.title(name)} verbatim={name} onClose={onClose}>
      <DialogBody>
        <QrImage link={link} pixels={280} />
        <CopyText text={link.short_url} label={links.copyUrl(name)} copied={links.copied(link.short_url)} />
      </DialogBody>
      <DialogFooter>
        <QrDownloads link={link} />
      </DialogFooter>
    </Dialog>
  );
}
