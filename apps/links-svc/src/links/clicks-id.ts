import type { LinkDocument } from '../database/documents/link.ts';

/** A link and the name of its clicks. */
export type NamedClicks = Pick<LinkDocument, '_id' | 'clicks_id'>;

/**
 * Returns the name under which analytics-svc has the clicks of a link: the id of the link. Each time its clicks are
 * forgotten, it gets another name, and the one before is that of a deleted link (ADR 69).
 */
export function clicksIdOf({ _id, clicks_id }: NamedClicks): string {
  return clicks_id ?? _id;
}

/** Returns the name of the clicks of a link once those so far are forgotten. */
export function nextClicksId(link: NamedClicks): string {
  const [id, times = '0'] = clicksIdOf(link).split('.');
  return `${id}.${Number(times) + 1}`;
}

/** Returns the id of the link whose clicks have, or had, this name. */
export function linkIdOfClicks(clicksId: string): string {
  return clicksId.split('.', 1)[0]!;
}
