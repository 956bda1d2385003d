import type { AccountEvent, EventLink, EventList } from '@waymark/contract';
import { expect } from 'vitest';
import { type Answer, request } from './world.ts';

/** An event of a link: all of it, or its id alone once it is hidden. */
export type LinkEvent = AccountEvent & {
  data: { link: EventLink | { id: string }; changes?: Record<string, { from: unknown; to: unknown }> };
};

/** Reads the events that a key sees by going on from `next`. */
export class EventReader {
  /** The events so far, in the order in which they came. */
  readonly events: AccountEvent[] = [];
  readonly #key: string;
  readonly #base: string;
  #after: string | undefined;

  constructor(key: string, base: string) {
    this.#key = key;
    this.#base = base;
  }

  /** Reads one page and returns it, or null if nothing is new. */
  async page(limit: number): Promise<AccountEvent[] | null> {
    const { status, body } = await this.ask(limit);
    expect(status, JSON.stringify(body)).toBe(200);
    return this.#take(body);
  }

  /** Reads one page. Returns false if the request failed, and the next one asks again. */
  async try(): Promise<boolean> {
    const answer = await this.ask(100).catch(() => null);
    if (answer?.status !== 200) return false;
    this.#take(answer.body);
    return true;
  }

  ask(limit: number): Promise<Answer<EventList>> {
    const after = this.#after === undefined ? '' : `&after=${this.#after}`;
    return request<EventList>(`/api/v1/events?limit=${limit}${after}`, { key: this.#key, base: this.#base });
  }

  #take({ events, next }: EventList): AccountEvent[] | null {
    if (next === this.#after) {
      expect(events).toEqual([]);
      return null;
    }
    this.#after = next;
    this.events.push(...events);
    return events;
  }

  /** Reads to the end and returns all events so far, none of which came twice. */
  async all(limit = 100): Promise<AccountEvent[]> {
    while ((await this.page(limit)) !== null);
    expect(new Set(this.events.map(({ id }) => id)).size).toBe(this.events.length);
    return this.events;
  }
}

export function linkEvents(events: readonly AccountEvent[]): LinkEvent[] {
  return events.filter((event): event is LinkEvent => 'link' in event.data);
}

/**
 * Returns what a key may see of all events of an account if it sees these links (contract, section 11): nothing of a link
 * before it was hidden or while it was.
 */
export function viewOf(
  events: readonly AccountEvent[],
  sees: (link: EventLink) => boolean,
): Pick<LinkEvent, 'id' | 'type' | 'data'>[] {
  let view: Pick<LinkEvent, 'id' | 'type' | 'data'>[] = [];
  const shown = new Set<string>();
  for (const { id, type, data } of linkEvents(events)) {
    const link = data.link as EventLink;
    const [was, is] = [shown.has(link.id), sees(link)];
    if (type === 'link.deleted') {
      if (was) view.push({ id, type, data });
      shown.delete(link.id);
    } else if (is) {
      shown.add(link.id);
      view.push(was ? { id, type, data } : { id, type: 'link.created', data: { link } });
    } else if (was) {
      shown.delete(link.id);
      view = view.filter((one) => one.data.link.id !== link.id);
      view.push({ id, type: 'link.deleted', data: { link: { id: link.id } } });
    }
  }
  return view;
}

/** Returns the links that are there after the events that a reader got. */
export function linksAfter(events: readonly AccountEvent[]): Map<string, EventLink> {
  const links = new Map<string, EventLink>();
  for (const { type, data } of linkEvents(events)) {
    if (type === 'link.deleted') links.delete(data.link.id);
    else links.set(data.link.id, data.link as EventLink);
  }
  return links;
}
