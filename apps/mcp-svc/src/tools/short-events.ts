import { type AccountEvent, type EventList, noticeOf } from '@waymark/contract';
import { withFirstOf } from './short-texts.ts';

/** A longer event shows only which fields changed. No other than that of a link with long rules and texts is. */
const EVENT_MAX_BYTES = 20_000;
const CUT_NOTICE = 'Long events have only the id of their link, and which fields changed.';

/** Returns as many of the first events as a model can read. `next` goes on after the last of them. */
export function withFirstEvents(list: EventList): EventList {
  const events = list.events.map(shortened);
  const shortNotice = events.some((event, at) => event !== list.events[at]) ? CUT_NOTICE : undefined;
  return withFirstOf(events, (first, cut) => ({
    events: first,
    next: cut === undefined ? list.next : (first.at(-1)?.id ?? list.next),
    ...noticeOf([list.notice, shortNotice, cut]),
  }));
}

function shortened(event: AccountEvent): AccountEvent {
  if (Buffer.byteLength(JSON.stringify(event)) <= EVENT_MAX_BYTES) return event;
  const { link, changes } = event.data as { link?: { id: string }; changes?: object };
  const names = changes && Object.fromEntries(Object.keys(changes).map((name) => [name, {}]));
  return { ...event, data: { ...(link && { link: { id: link.id } }), ...(names && { changes: names }) } };
}
