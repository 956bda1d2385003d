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
  if (!ID.test(id) || !VISITOR.test(visitor) || !Number.isInteger(clickedAtMs) || typeof host !== 'string') return null;
  const texts = { id, accountId, linkId, userAgent, referrer, utmSource, country, visitor, host };
  return { ...texts, clickedAtMs, prefetch: prefetch === 1 };
}
