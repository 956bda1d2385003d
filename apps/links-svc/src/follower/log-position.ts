/** Where the log of an account stands. */
export interface LogState {
  revision: number;
  /** Set if the account is being deleted. */
  deleting_at?: Date;
}

/**
 * Returns true if a log leads from a known revision to its present one. Otherwise whatever follows it must begin again: it
 * did not know the account, the account is being deleted, or it is older than it was, because a backup was restored.
 */
export function leadsFrom(known: number | undefined, { revision, deleting_at }: LogState): known is number {
  return known !== undefined && known <= revision && deleting_at === undefined;
}

/**
 * Returns the events of a log since a known revision, or null if whatever follows it must begin again: also if there are
 * more than `max`, or if some have expired. `read` returns those after a revision up to another one.
 */
export async function eventsSince<Event>(
  known: number | undefined,
  log: LogState,
  max: number,
  read: (after: number, upTo: number) => Promise<Event[]>,
): Promise<Event[] | null> {
  if (!leadsFrom(known, log)) return null;
  const count = log.revision - known;
  if (count === 0) return [];
  if (count > max) return null;
  const events = await read(known, log.revision);
  return events.length === count ? events : null;
}
