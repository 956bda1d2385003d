/** Many clients and proxies accept 16 KiB of response headers in all. */
const MAX_BYTES = 12 * 1_024;

/**
 * Returns the `Link` header of a page (RFC 8288): first, prev, next and last, as absolute URLs that keep the parameters
 * in `query` as they were sent. The first page has no prev and the last page has no next. Past the end, prev is the
 * last page. Returns undefined if the parameters are so long that clients would refuse the header.
 */
export function linkHeader(
  url: string,
  query: string,
  { page, total_pages }: { page: number; total_pages: number },
): string | undefined {
  const last = Math.max(1, total_pages);
  const pages: [string, number][] = [['first', 1]];
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)]);
  if (page < last) pages.push(['next', page + 1]);
  pages.push(['last', last]);
  const parameters = new URLSearchParams(query);
  const header = pages
    .map(([relation, number]) => {
      parameters.set('page', String(number));
      return `<${url}?${parameters}>; rel="${relation}"`;
    })
    .join(', ');
  return header.length <= MAX_BYTES ? header : undefined;
}
