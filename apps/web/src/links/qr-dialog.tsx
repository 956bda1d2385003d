import { useQuery } from '@tanstack/preact-query';
import type { Link } from '@waymark/contract';
import { Download } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { apiResponse } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { CopyText } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { useToast } from '../components/toast.tsx';
import { saveFile } from '../save-file.ts';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import './qr-dialog.css';

const FORMATS = ['svg', 'png'] as const;
const PNG_PIXELS = 1024;

/** Shows the QR code of a short URL, to look at and to download. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const name = linkName(link);
  const toast = useToast();
  const { data, error, refetch } = useQuery({
    queryKey: ['links', 'qr', link.id, link.short_url],
    queryFn: ({ signal }) => loadQr(link.id, 'svg', signal),
  });
  const url = useObjectUrl(data);
  const download = async (format: (typeof FORMATS)[number]) => {
    try {
      saveFile(await loadQr(link.id, format), `${link.slug}.${format}`);
    } catch (thrown) {
      toast({ text: messageOf(thrown), danger: true });
    }
  };
  return (
    <Dialog title={links.qr.title(name)} verbatim={name} onClose={onClose}>
      <DialogBody>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="qr">
            {url && <img src={url} alt={links.qr.alt(link.short_url)} width="280" height="280" />}
          </div>
        )}
        <CopyText text={link.short_url} label={links.copyUrl(name)} copied={links.copied(link.short_url)} />
      </DialogBody>
      <DialogFooter>
        {FORMATS.map((format) => (
          <Button key={format} onClick={() => download(format)}>
            <Icon of={Download} size={16} />
            {links.qr.download(format)}
          </Button>
        ))}
      </DialogFooter>
    </Dialog>
  );
}

/** Loads the picture with the session's token: an `<img>` could not send it. */
async function loadQr(id: string, format: (typeof FORMATS)[number], signal?: AbortSignal): Promise<Blob> {
  const query = format === 'png' ? { format, size: PNG_PIXELS } : { format };
  return (await apiResponse('GET /api/v1/links/{id}/qr', { path: { id }, query, signal })).blob();
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
