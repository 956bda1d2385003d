// Days are ISO dates such as 2026-11-21. Their arithmetic needs no time zone.

const DAY_MS = 86_400_000;

/** Returns true for a date of the calendar, such as 2026-02-28. */
export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Returns the date that many days after a date; before it for a negative number. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the number of days from one date to another, both included. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** Returns the Monday of the week of a date. */
export function mondayOf(date: string): string {
  return addDays(date, -((new Date(date).getUTCDay() + 6) % 7));
}

/**
 * Returns the moment at which a day begins in the browser's time zone, in RFC 3339. Returns an invalid text as it is, so
 * that the API's message says what is wrong.
 */
export function beginningOf(date: string): string {
  return isIsoDate(date) ? new Date(`${date}T00:00`).toISOString() : date;
}

/** Returns true for a name of a time zone that the browser knows. An offset such as `+02:00` is not a name, for the API too. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the date of a moment in an IANA time zone.
 * @throws {RangeError} if the browser does not know the zone: {@link isTimeZone}.
 */
export function dateIn(timeZone: string, moment: Date): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(moment);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)!.value;
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/**
 * Returns the hour of a moment in an IANA time zone, 0 to 23.
 * @throws {RangeError} if the browser does not know the zone: {@link isTimeZone}.
 */
export function hourIn(timeZone: string, moment: Date): number {
  return Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(moment));
}

/** Returns the browser's own time zone, or null if it names none, such as `Etc/Unknown`. */
export function browserTimeZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? ianaName(timeZone) : null;
}

/** Returns the time zone of a view without one: the browser's, or else UTC. */
export function defaultTimeZone(): string {
  return browserTimeZone() ?? 'UTC';
}

/** Returns the time zones to choose from, in the order of their places: those the browser knows, its own one and UTC. */
export function timeZones(): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone').map(ianaName), defaultTimeZone(), 'UTC'])].sort((a, b) =>
    placeOf(a) < placeOf(b) ? -1 : 1,
  );
}

/** Returns the place of a zone: `Buenos Aires`. */
export function placeOf(zone: string): string {
  return zone.split('/').at(-1)!.replaceAll('_', ' ');
}

/** The names after the region that IANA replaced, and some browsers still list. */
const RENAMED: Record<string, string> = {
  Asmera: 'Asmara',
  Calcutta: 'Kolkata',
  Coral_Harbour: 'Atikokan',
  Enderbury: 'Kanton',
  Faeroe: 'Faroe',
  Godthab: 'Nuuk',
  Indianapolis: 'Indiana/Indianapolis',
  Katmandu: 'Kathmandu',
  Kiev: 'Kyiv',
  Louisville: 'Kentucky/Louisville',
  Ponape: 'Pohnpei',
  Rangoon: 'Yangon',
  Saigon: 'Ho_Chi_Minh',
  Truk: 'Chuuk',
};

const IN_ARGENTINA = /^America\/(Buenos_Aires|Catamarca|Cordoba|Jujuy|Mendoza)$/;

/** Returns the present name of a time zone: `Asia/Kolkata` for `Asia/Calcutta`. The API accepts both. */
export function ianaName(zone: string): string {
  const [region, name = '', more] = zone.split('/');
  if (more === undefined && Object.hasOwn(RENAMED, name)) return `${region}/${RENAMED[name]}`;
  return zone.replace(IN_ARGENTINA, 'America/Argentina/$1');
}
