import type { ExportLinksQuery } from '@waymark/contract';
import { apiResponse } from '../api/client.ts';
import { filterQuery, type LinkView } from './link-query.ts';

/** Returns a CSV file with every link that the view's search and filters match. Reports the bytes so far. */
export async function exportCsv(
  view: LinkView,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const query = { ...filterQuery(view), format: 'csv' } as Partial<ExportLinksQuery>;
  const response = await apiResponse('GET /api/v1/links/export', { query, signal });
  let bytes = 0;
  const counted = response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onProgress(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { headers: { 'content-type': 'text/csv' } }).blob();
}
