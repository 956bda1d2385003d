import type { Client } from './client.ts';
import type { components, paths } from './generated/api.ts';
import { pause } from './send.ts';

type AccountEvent = components['schemas']['AccountEvent'];
type EventsQuery = NonNullable<paths['/api/v1/events']['get']['parameters']['query']>;

/** The most events of a response. */
const PAGE_MAX = 100;
const LOOK_EVERY_MS = 2_000;

/**
 * Yields the events of the account, oldest first, each once. To go on later, send the `id` of the last one as `after`. With
 * `follow`, it does not end, but waits for new events until the signal is aborted.
 */
export async function* listEvents(
  client: Client,
  query: Omit<EventsQuery, 'limit'> = {},
  { follow = false, signal }: { follow?: boolean; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<AccountEvent, void> {
  for (let { after } = query; ; ) {
    const sent = { query: { ...query, ...(after !== undefined && { after }), limit: PAGE_MAX } };
    const { events, next } = await client.get('/api/v1/events', sent);
    yield* events;
    const isLast = next === after;
    if (isLast && !follow) return;
    if (isLast) await pause(LOOK_EVERY_MS, signal);
    after = next;
  }
}
