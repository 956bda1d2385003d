import type { Click } from './click.ts';

type ClickRow = [
  id: string,
  accountId: string,
  linkId: string,
  clickedAtMs: number,
  userAgent: string,
  referrer: string,
  utmSource: string,
  prefetch: 0 | 1,
  country: string,
  visitor: string,
  host: string,
  // A row that an earlier version left behind ends here.
  language?: string,
  utmCampaign?: string,
  utmMedium?: string,
  utmContent?: string,
  utmTerm?: string,
];

const ID = /^[0-9a-f]{32}$/;
const VISITOR = /^(?:[0-9a-f]{16})?$/;

/** Returns a click as the spool stores it: a JSON array, which is a third shorter than an object. */
export function rowOf(click: Click): string {
  const row: ClickRow = [
    click.id,
    click.accountId,
    click.linkId,
    click.clickedAtMs,
    click.userAgent,
    click.referrer,
    click.utmSource,
    click.prefetch ? 1 : 0,
    click.country,
    click.visitor,
    click.host,
    click.language,
    click.utmCampaign,
    click.utmMedium,
    click.utmContent,
    click.utmTerm,
  ];
  return JSON.stringify(row);
}

/** Returns the clicks of a JSON array of rows, or null if one is damaged. */
export function clicksOf(rows: string): Click[] | null {
  try {
    const clicks = (JSON.parse(rows) as ClickRow[]).map(clickOfRow);
    return clicks.every((click) => click !== null) ? clicks : null;
  } catch {
    return null;
  }
}

function clickOfRow(row: ClickRow): Click | null {
  const [id, accountId, linkId, clickedAtMs, userAgent, referrer, utmSource, prefetch, country, visitor, host] = row;
  const [language = '', utmCampaign = '', utmMedium = '', utmContent = '', utmTerm = ''] = row.slice(11) as string[];
  const added = { language, utmCampaign, utmMedium, utmContent, utmTerm };
  if (!ID.test(id) || !VISITOR.test(visitor) || !Number.isInteger(clickedAtMs)) return null;
  if (![host, ...Object.values(added)].every((text) => typeof text === 'string')) return null;
  const texts = { id, accountId, linkId, userAgent, referrer, utmSource, country, visitor, host, ...added };
  return { ...texts, clickedAtMs, prefetch: prefetch === 1 };
}
