import type { LogPosition } from '../events/event.ts';

/** Where the log of an account stands. */
export interface LogState extends LogPosition {
  /** Set if the account is being deleted. */
  deleting_at?: Date;
}

/**
 * Returns the events of a log since a known position. Whatever follows the log must begin again if
 * - its position was not known, the account is being deleted, more than `max` events are new, or some have expired, among
 *   them the known one;
 * - a backup was `restored`: the log is shorter, or another event has the place of the known one.
 *
 * `read` returns the events after a revision up to another one.
 */
export async function eventsSince<Event extends Pick<LogPosition, 'change_id'>>(
  known: LogPosition | undefined,
  log: LogState,
  max: number,
  read: (after: number, upTo: number) => Promise<Event[]>,
): Promise<Event[] | 'begin again' | 'restored'> {
  if (known === undefined || log.deleting_at !== undefined) return 'begin again';
  if (known.change_id === log.change_id) return [];
  const count = log.revision - known.revision;
  if (count <= 0) return 'restored';
  // Each log has the same beginning, which is no event.
  const first = Math.max(known.revision, 1);
  const upTo = count > max ? first : log.revision;
  const events = await read(first - 1, upTo);
  if (events.length <= upTo - first) return 'begin again';
  if (known.revision > 0 && events.shift()?.change_id !== known.change_id) return 'restored';
  return count > max ? 'begin again' : events;
}
