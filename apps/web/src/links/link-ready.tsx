import type { Link } from '@waymark/contract';
import { Copy, QrCode, X } from 'lucide';
import { Button, IconButton } from '../components/button.tsx';
import { copyToClipboard } from '../components/copy-text.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { QrImage } from './qr-image.tsx';
import './link-ready.css';

interface LinkReadyProps {
  link: Link | null;
  onQr: (link: Link) => void;
  onClose: () => void;
}

/** Shows a link that was just created: its short URL to copy, and its QR code. */
export function LinkReady({ link, onQr, onClose }: LinkReadyProps) {
  const toast = useToast();
  return (
    <div role="status">
      {link && (
        <section key={link.id} className="card link-ready" aria-label={links.ready.label}>
          <QrImage link={link} pixels={88} />
          <div className="link-ready-text">
            <h2>
              <Words text={links.ready.title(link.short_url)} verbatim={link.short_url} />
            </h2>
            <div className="link-ready-actions">
              <Button
                onClick={() => copyToClipboard({ text: link.short_url, copied: links.copied(link.short_url) }, toast)}
              >
                <Icon of={Copy} size={16} />
                {shared.copy}
              </Button>
              <Button onClick={() => onQr(link)}>
                <Icon of={QrCode} size={16} />
                {links.ready.qr}
              </Button>
            </div>
          </div>
          <IconButton size="s" label={shared.dismiss} onClick={onClose}>
            <Icon of={X} size={16} />
          </IconButton>
        </section>
      )}
    </div>
  );
}
