import { errorOf } from '../api/api-error.ts';
import { api, type Link } from '../api/client.ts';
import { filterQuery, type LinkView } from './link-query.ts';

type ExportQuery = NonNullable<Parameters<typeof api.GET<'/api/v1/links/export', object>>[1]>;

/** Starts an export of the links that a view's search and filters match. */
async function exportLinks(view: LinkView, format: 'csv' | 'ndjson', signal: AbortSignal): Promise<Response> {
  const query = { ...filterQuery(view), format } as object;
  const { response, error } = await api.GET('/api/v1/links/export', {
    params: { query },
    parseAs: 'stream',
    signal,
  } as ExportQuery);
  if (!response.ok) throw errorOf(response, error);
  return response;
}

/** Returns a CSV file with every link that the view's search and filters match. Reports the bytes so far. */
export async function exportCsv(
  view: LinkView,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const response = await exportLinks(view, 'csv', signal);
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

/** Returns the hashtags of all links, by id. */
async function readAllHashtags(signal: AbortSignal): Promise<Map<string, string[]>> {
  const response = await exportLinks({ archived: 'any' }, 'ndjson', signal);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const { id, hashtags } = JSON.parse(line) as Link;
      return [id, hashtags];
    }),
  );
}

/** The most links that are read one by one. For more, an export of all links is fewer requests. */
const READ_ONE_BY_ONE_MAX = 25;

/** Returns the hashtags that these links, and maybe others, have now, by id. Links that are gone are missing. */
export async function readHashtags(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string[]>> {
  if (ids.length > READ_ONE_BY_ONE_MAX) return readAllHashtags(signal);
  const found = new Map<string, string[]>();
  for (const id of ids) {
    const { data, response, error } = await api.GET('/api/v1/links/{id}', { params: { path: { id } }, signal });
    if (response.ok) found.set(id, data!.hashtags);
    else if (response.status !== 404) throw errorOf(response, error);
  }
  return found;
}
