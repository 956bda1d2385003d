const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** Returns the time of an RFC 3339 text, in the years 1 to 9999 of UTC, or null. Drops what is below a millisecond. */
export function timeOfRfc3339(text: string): Date | null {
  const parts = RFC_3339.exec(text);
  if (parts === null || !isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return null;
  const time = new Date(text.toUpperCase());
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? time : null;
}

/** Returns the time of an RFC 3339 text, or of the beginning of a day such as 2027-01-31 in UTC. Returns null otherwise. */
export function timeOfMoment(text: string): Date | null {
  return timeOfRfc3339(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}

/** Returns true if the calendar has this day. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
