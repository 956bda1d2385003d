import { errorOf } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { filterQuery, type LinkView } from './link-query.ts';

type ExportQuery = NonNullable<Parameters<typeof api.GET<'/api/v1/links/export', object>>[1]>;

/** Returns a CSV file with every link that the view's search and filters match. Reports the bytes so far. */
export async function exportCsv(
  view: LinkView,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const { response, error } = await api.GET('/api/v1/links/export', {
    params: { query: { ...filterQuery(view), format: 'csv' } as object },
    parseAs: 'stream',
    signal,
  } as ExportQuery);
  if (!response.ok) throw errorOf(response, error);
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
