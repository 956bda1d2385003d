import { QrCode } from 'lucide';
import { useState } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-text.tsx';
import { Icon } from '../components/icon.tsx';
import { QrDialog } from '../links/qr-dialog.tsx';
import { useLink } from '../links/use-link.ts';
import { linkName } from '../short-url.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { links } from '../texts/links.ts';
import './link-summary.css';

/** The link whose figures are shown: its short URL to copy, its QR code and its destination. */
export function LinkSummary({ id }: { id: string }) {
  const { data: link, isError } = useLink(id);
  const [showsQr, setShowsQr] = useState(false);
  if (isError) return null;
  return (
    <section className="card link-summary" aria-label={texts.link.label} aria-busy={link === undefined}>
      {link && (
        <>
          <div className="link-summary-words" key={link.updated_at}>
            <div className="link-summary-short" translate={false}>
              <strong>{link.short_url}</strong>
              <CopyButton
                text={link.short_url}
                label={links.copyUrl(linkName(link))}
                copied={links.copied(link.short_url)}
              />
            </div>
            {link.title && <div>{link.title}</div>}
            <div className="link-summary-destination">
              {texts.link.destination}{' '}
              <a href={link.destination_url} target="_blank" rel="noreferrer" translate={false}>
                {link.destination_url}
              </a>
            </div>
          </div>
          <IconButton label={links.showQr(linkName(link))} onClick={() => setShowsQr(true)}>
            <Icon of={QrCode} size={20} />
          </IconButton>
          {showsQr && <QrDialog link={link} onClose={() => setShowsQr(false)} />}
        </>
      )}
    </section>
  );
}
