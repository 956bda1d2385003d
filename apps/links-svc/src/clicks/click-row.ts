import type { Click } from './click.ts';

/** A click as the spool stores it: the fields in the order of {@link Click}, with `prefetch` as 0 or 1. */
export type ClickRow = [string, string, string, number, string, string, string, 0 | 1];

const ID = /^[0-9a-f]{32}$/;

/** Returns the row of a click. */
export function rowOf(click: Click): ClickRow {
  return [
    click.id,
    click.accountId,
    click.linkId,
    click.clickedAtMs,
    click.userAgent,
    click.referrer,
    click.utmSource,
    click.prefetch ? 1 : 0,
  ];
}

/** Returns the click of a row. Throws if the row is malformed. */
export function clickOfRow(row: ClickRow): Click {
  const [id, accountId, linkId, clickedAtMs, userAgent, referrer, utmSource, prefetch] = row;
  const texts = [accountId, linkId, userAgent, referrer, utmSource];
  if (row.length !== 8 || !ID.test(id) || !Number.isInteger(clickedAtMs) || !texts.every(isText))
    throw new TypeError('not a row of a click');
  return { id, accountId, linkId, clickedAtMs, userAgent, referrer, utmSource, prefetch: prefetch === 1 };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
