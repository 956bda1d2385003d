import type { Client } from './client.ts';
import type { components, paths } from './generated/api.ts';
import { brokenOff } from './waymark-error.ts';

type Link = components['schemas']['Link'];
type ListQuery = NonNullable<paths['/api/v1/links']['get']['parameters']['query']>;
type ExportQuery = NonNullable<paths['/api/v1/links/export']['get']['parameters']['query']>;

/** The most links in a page. */
const PAGE_MAX = 100;

/**
 * Yields the links of a list, page by page. A link that is created or deleted meanwhile moves the others, so that one of
 * them may come twice or never; {@link exportLinks} has each link once.
 */
export async function* listLinks(
  client: Client,
  query: Omit<ListQuery, 'page' | 'per' | 'fields'> = {},
): AsyncGenerator<Link, void> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const list = await client.get('/api/v1/links', { query: { ...query, page, per: PAGE_MAX } });
    pages = list.total_pages;
    yield* list.links as Link[];
  }
}

/**
 * Yields all links of a filter, oldest first, in one request and without holding more than a piece of the response.
 * @throws {WaymarkError} with status 0 if the response breaks off.
 */
export async function* exportLinks(
  client: Client,
  query: Omit<ExportQuery, 'format'> = {},
): AsyncGenerator<Link, void> {
  const sent = { query: { ...query, format: 'ndjson' as const }, parseAs: 'stream' as const };
  const body = await client.get('/api/v1/links/export', sent);
  for await (const line of linesOf(body)) yield JSON.parse(line) as Link;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw isAbort(error) ? error : brokenOff(error);
      });
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop()!;
      yield* lines.filter((line) => line !== '');
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
