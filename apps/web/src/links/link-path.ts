import type { Link } from '@waymark/contract';

/** Returns the path of the page of a link. */
export function linkPath({ id }: Pick<Link, 'id'>): string {
  return `/links/${encodeURIComponent(id)}`;
}

/** Returns the path of what happened to a link. */
export function linkActivityPath({ id }: Pick<Link, 'id'>): string {
  return `/activity?link_id=${encodeURIComponent(id)}`;
}

/** Returns what the history keeps of the list with the page of a link, so that the way back leads to it as it was. */
export function listState(): { list: string } {
  return { list: location.search };
}

/** Returns the path of the list that the page of a link was opened from, or of the list as it is at first. */
export function pathOfList(): string {
  const { list = '' } = (history.state ?? {}) as Partial<ReturnType<typeof listState>>;
  return `/links${list}`;
}
