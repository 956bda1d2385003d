import type { AccountEvent, EventType } from '@waymark/contract';
import { type Actor, CLICKS_FORGOTTEN, type EventDocument } from '../database/documents/event.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import type { LinkScope } from '../links/link-scope.ts';

/** What a viewer sees of an event. */
export type SeenEvent = Pick<AccountEvent, 'type' | 'data'> & { actor?: Actor };

/** A link as its events have it. */
type LinkOfEvent = Pick<LinkDocument, 'visibility' | 'hashtags'>;

/**
 * Returns what a viewer sees of an event as long as nothing later hides its link, or null. For a viewer that does not see
 * all links, a link begins with `link.created` when it is shown, and ends with `link.deleted` when it is hidden.
 */
export function seenEvent({ type, actor, data }: EventDocument, scope: LinkScope): SeenEvent | null {
  if (type === CLICKS_FORGOTTEN) return null;
  if (scope.seesAll) return { type, actor, data };
  if (!('link' in data)) return null;
  const { link, changes = {} } = data;
  const before = { visibility: link.visibility, hashtags: link.hashtags };
  for (const name of ['visibility', 'hashtags'] as const)
    if (changes[name] !== undefined) Object.assign(before, { [name]: changes[name].from });
  const [saw, sees] = [scope.shows(before as LinkOfEvent), scope.shows(link)];
  if (!sees) return saw ? { type: 'link.deleted', data: { link: { id: link.id } } } : null;
  return saw ? { type, data } : { type: 'link.created', data: { link } };
}

/** Returns the types of events, as they are stored, that a viewer may see as one of these types. */
export function storedTypes(types: readonly EventType[]): EventType[] {
  const isShownOrHidden = types.includes('link.created') || types.includes('link.deleted');
  return [...new Set([...types, ...(isShownOrHidden ? (['link.updated'] as const) : [])])];
}
