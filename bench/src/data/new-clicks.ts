import { randomBytes } from 'node:crypto';
import type { ReportedClick } from '@waymark/proto';

/** Not an account of the world, so that other workloads do not count these clicks. */
export const INGESTION_ACCOUNT_ID = '00000000000ingest';
const UTM_SOURCES = 50;
const REFERRERS = 300;
const BROWSERS = 200;
const COUNTRIES = ['US', 'DE', 'IN', 'BR', 'GB', 'FR', 'JP', 'NG', 'MX', ''];
const UTM_CAMPAIGNS = 20;
const MEDIUMS = ['email', 'social', 'cpc'];
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'hi', 'ja', ''];
const ID_DIGITS = 32;
const VISITOR_DIGITS = 16;

/**
 * Builds new clicks as links-svc reports them, one link after another, from 200 browsers; a third have one of 50 utm
 * sources and one of 20 campaigns, the others come from 300 sites. Ids and times (within the last second) differ between calls.
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
    utmCampaign: hasUtm(index) ? `campaign-${index % UTM_CAMPAIGNS}` : '',
    utmMedium: hasUtm(index) ? MEDIUMS[index % MEDIUMS.length]! : '',
    utmContent: '',
    utmTerm: '',
    language: LANGUAGES[index % LANGUAGES.length]!,
    country: COUNTRIES[index % COUNTRIES.length]!,
    visitor: ids.slice(index * ID_DIGITS, index * ID_DIGITS + VISITOR_DIGITS),
    host: '',
    prefetch: false,
  }));
}

/** Returns the source that the click at this index of {@link newClicks} is counted for. */
export function sourceOfNewClick(index: number): string {
  return hasUtm(index) ? `source-${index % UTM_SOURCES}` : `site-${index % REFERRERS}.example`;
}

function hasUtm(index: number): boolean {
  return index % 3 === 0;
}
