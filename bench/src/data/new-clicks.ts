import { randomBytes } from 'node:crypto';
import type { ReportedClick } from '@waymark/proto';

/** No account of the world's: other works do not count these clicks. */
export const INGESTION_ACCOUNT_ID = '00000000000ingest';
const UTM_SOURCES = 50;
const REFERRERS = 300;
const BROWSERS = 200;
const ID_DIGITS = 32;

/**
 * New clicks as links-svc reports them, each on the next one of the links: from 200 browsers; a third with one of 50 utm
 * sources, the others from 300 sites. Their ids and their times, all within the last second, differ from call to call.
 */
export function newClicks(linkIds: readonly string[], count: number): ReportedClick[] {
  const ids = randomBytes((count * ID_DIGITS) / 2).toString('hex');
  const now = Date.now();
  return Array.from({ length: count }, (_, index) => ({
    id: ids.slice(index * ID_DIGITS, (index + 1) * ID_DIGITS),
    accountId: INGESTION_ACCOUNT_ID,
    linkId: linkIds[index % linkIds.length]!,
    clickedAtMs: now - (index % 1_000),
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.${index % BROWSERS} Safari/537.36`,
    referrer: hasUtm(index) ? '' : `https://www.site-${index % REFERRERS}.example/page`,
    utmSource: hasUtm(index) ? `source-${index % UTM_SOURCES}` : '',
    prefetch: false,
  }));
}

/** The source that the click with this place in {@link newClicks} counts for. */
export function sourceOfNewClick(index: number): string {
  return hasUtm(index) ? `source-${index % UTM_SOURCES}` : `site-${index % REFERRERS}.example`;
}

function hasUtm(index: number): boolean {
  return index % 3 === 0;
}
