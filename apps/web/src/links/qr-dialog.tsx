import type { Link } from '@waymark/contract';
import { Download } from 'lucide';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { HAS_LOGO } from '../page-facts.ts';
import { saveFile } from '../save-file.ts';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import { loadQr, QR_FORMATS, type QrFormat, QrImage, type QrStyle } from './qr-image.tsx';
import './qr-dialog.css';

const BLACK_ON_WHITE: QrStyle = { color: '#000000', background: '#ffffff' };

/** The buttons that download the QR code of a short URL. */
export function QrDownloads({ link, style }: { link: Link; style?: QrStyle }) {
  const toast = useToast();
  const download = async (format: QrFormat) => {
    try {
      saveFile(await loadQr(link.id, format, style), `${link.slug}.${format}`);
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

/** Shows the QR code of a short URL in any colors, to look at and to download. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const name = linkName(link);
  const [style, setStyle] = useState<QrStyle>(BLACK_ON_WHITE);
  return (
    <Dialog title={links.qr.title(name)} verbatim={name} onClose={onClose}>
      <DialogBody>
        <QrImage link={link} pixels={280} style={style} />
        <div className="qr-style">
          {(['color', 'background'] as const).map((which) => (
            <label key={which} className="check">
              <input
                type="color"
                value={style[which]}
                onChange={({ currentTarget: { value } }) => setStyle({ ...style, [which]: value })}
              />
              {links.qr[which]}
            </label>
          ))}
          {HAS_LOGO && (
            <label className="check">
              <input
                type="checkbox"
                onChange={({ currentTarget: { checked } }) => setStyle({ ...style, logo: checked ? 'true' : 'false' })}
              />
              {links.qr.logo}
            </label>
          )}
        </div>
        <CopyText text={link.short_url} label={links.copyUrl(name)} copied={links.copied(link.short_url)} />
      </DialogBody>
      <DialogFooter>
        <QrDownloads link={link} style={style} />
      </DialogFooter>
    </Dialog>
  );
}
