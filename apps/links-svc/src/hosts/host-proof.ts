import { shortenName } from '@waymark/contract';
import type { HostDocument } from '../database/documents/host.ts';
import { txtName } from './host.ts';

/** What people paste around a value: white space, quotes and the backslashes that escape them. */
const AROUND = /^[\s"'“”„‘’‚`\\]{0,16}|[\s"'“”„‘’‚`\\]{0,16}$/g;
const SHOWN_VALUES_MAX = 5;

/** Returns true if one of the values of TXT records is this one, maybe in quotes. */
export function proves(values: readonly string[], value: string): boolean {
  return values.some((found) => found.replaceAll(AROUND, '') === value);
}

/**
 * Returns what a look at the record of a host found instead of its value. Returns null if it found that, or got no clear
 * answer.
 */
export function noticeOf({ host, txt_value }: HostDocument, found: readonly string[] | null): string | null {
  if (found === null || proves(found, txt_value)) return null;
  const name = txtName(host);
  if (found.length === 0)
    return `There is no TXT record at ${name}. Name servers may keep an old answer for some minutes.`;
  const shown = found.slice(0, SHOWN_VALUES_MAX).map((value) => JSON.stringify(shortenName(value)));
  const more = found.length - shown.length;
  return `The TXT record at ${name} is ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}, not "${txt_value}".`;
}
