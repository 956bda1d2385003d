import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Link } from '@waymark/contract';
import { useEffect, useState } from 'preact/hooks';
import { apiResponse } from '../api/client.ts';
import { ErrorState } from '../components/error-state.tsx';
import { links } from '../texts/links.ts';

export const QR_FORMATS = ['svg', 'png'] as const;
export type QrFormat = (typeof QR_FORMATS)[number];
const PNG_PIXELS = 1024;

/** How a code is drawn. */
export interface QrStyle {
  color?: string;
  background?: string;
  logo?: 'true' | 'false';
}

/** Loads the picture with the session's token: an `<img>` could not send it. */
export async function loadQr(id: string, format: QrFormat, style?: QrStyle, signal?: AbortSignal): Promise<Blob> {
  const query = { format, ...(format === 'png' && { size: PNG_PIXELS }), ...style };
  return (await apiResponse('GET /api/v1/links/{id}/qr', { path: { id }, query, signal })).blob();
}

/** The QR code of a short URL. */
export function QrImage({ link, pixels, style }: { link: Link; pixels: number; style?: QrStyle }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['links', 'qr', link.id, link.short_url, style],
    queryFn: ({ signal }) => loadQr(link.id, 'svg', style, signal),
    placeholderData: keepPreviousData,
  });
  const url = useObjectUrl(data);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <div className="qr" style={{ minBlockSize: `${pixels}px`, minInlineSize: `min(100%, ${pixels}px)` }}>
      {url && <img src={url} alt={links.qr.alt(link.short_url)} width={pixels} height={pixels} />}
    </div>
  );
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
