import { Pencil, QrCode } from 'lucide';
import { useState } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-text.tsx';
import { Icon } from '../components/icon.tsx';
import { LinkForm } from '../links/link-form.tsx';
import { QrDialog } from '../links/qr-dialog.tsx';
import { useLink } from '../links/use-link.ts';
import { mayEdit, useRole } from '../session/role.ts';
import { linkName } from '../short-url.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { links } from '../texts/links.ts';
import './link-summary.css';

/**
 * The link whose figures are shown: its short URL to copy, its QR code, its destination, and a
 * button to edit it.
 */
export function LinkSummary({ id }: { id: string }) {
  const { data: link, isError } = useLink(id);
  const canEdit = mayEdit(useRole());
  const [open, setOpen] = useState<'qr' | 'edit' | null>(null);
  const close = () => setOpen(null);
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
            {link.title && <div dir="auto">{link.title}</div>}
            <div className="link-summary-destination">
              {texts.link.destination}{' '}
              <a href={link.destination_url} target="_blank" rel="noreferrer" translate={false}>
                {link.destination_url}
              </a>
            </div>
          </div>
          <IconButton label={links.showQr(linkName(link))} onClick={() => setOpen('qr')}>
            <Icon of={QrCode} size={20} />
          </IconButton>
          {canEdit && (
            <IconButton label={links.form.editTitle(linkName(link))} onClick={() => setOpen('edit')}>
              <Icon of={Pencil} size={20} />
            </IconButton>
          )}
          {open === 'qr' && <QrDialog link={link} onClose={close} />}
          {open === 'edit' && <LinkForm link={link} onClose={close} />}
        </>
      )}
    </section>
  );
}
