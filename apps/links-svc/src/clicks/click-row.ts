import type { Click } from './click.ts';

/** A click as the spool stores it, with `prefetch` as 0 or 1. Rows of earlier versions end there. */
export type ClickRow = [
  id: string,
  accountId: string,
  linkId: string,
  clickedAtMs: number,
  userAgent: string,
  referrer: string,
  utmSource: string,
  prefetch: 0 | 1,
  country?: string,
  visitor?: string,
];

const LENGTHS = [8, 10];
const ID = /^[0-9a-f]{32}$/;
const VISITOR = /^(?:[0-9a-f]{16})?$/;

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
    click.country,
    click.visitor,
  ];
}

/** Returns the click of a row. Throws if the row is malformed. */
export function clickOfRow(row: ClickRow): Click {
  const [id, accountId, linkId, clickedAtMs, userAgent, referrer, utmSource, prefetch, country = '', visitor = ''] =
    row;
  const texts = [accountId, linkId, userAgent, referrer, utmSource, country, visitor];
  const isRow = LENGTHS.includes(row.length) && Number.isInteger(clickedAtMs) && texts.every(isText);
  if (!isRow || !ID.test(id) || !VISITOR.test(visitor)) throw new TypeError('not a row of a click');
  return {
    id,
    accountId,
    linkId,
    clickedAtMs,
    userAgent,
    referrer,
    utmSource,
    country,
    visitor,
    prefetch: prefetch === 1,
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
