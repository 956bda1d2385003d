import { WaymarkError } from '@waymark/client';
import { links } from '../texts/links.ts';

/**
 * Returns the moment of a local minute. Returns an invalid text as it is, so that the API's message says what is wrong.
 * @throws {WaymarkError} about the field if the clocks skip that minute.
 */
export function moment(minute: string, field: string): string {
  const time = Date.parse(minute);
  if (Number.isNaN(time)) return minute;
  const found = new Date(time).toISOString();
  if (localMinute(found) !== minute) throw new WaymarkError(422, links.form.skippedMinute(field));
  return found;
}

/** Returns a moment as `<input type="datetime-local">` has it: in the zone of the browser, to the minute. */
export function localMinute(moment: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
