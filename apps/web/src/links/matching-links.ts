import type { Link } from '../api/client.ts';
import { api, errorOf } from '../api/client.ts';
import type { SelectedLink } from './bulk-bar.tsx';
import { filterQuery, type LinkView } from './link-query.ts';

type ExportQuery = NonNullable<Parameters<typeof api.GET<'/api/v1/links/export', object>>[1]>;

/** Starts an export of the links that a view's search and filters match. */
async function exportLinks(view: LinkView, format: 'csv' | 'ndjson'): Promise<Response> {
  const query = { ...filterQuery(view), format } as object;
  const { response, error } = await api.GET('/api/v1/links/export', {
    params: { query },
    parseAs: 'stream',
  } as ExportQuery);
  if (!response.ok) throw errorOf(response, error);
  return response;
}

/** Returns a CSV file with every link that the view's search and filters match. */
export async function exportCsv(view: LinkView): Promise<Blob> {
  return (await exportLinks(view, 'csv')).blob();
}

/** Returns every link that the view's search and filters match, reduced to what a bulk edit needs. */
export async function findMatching(view: LinkView): Promise<SelectedLink[]> {
  const response = await exportLinks(view, 'ndjson');
  const found: SelectedLink[] = [];
  let rest = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const { id, slug, hashtags } = JSON.parse(line) as Link;
      found.push({ id, slug, hashtags });
    }
  }
  return found;
}
