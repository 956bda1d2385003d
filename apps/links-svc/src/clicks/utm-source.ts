import { cutText } from './cut-text.ts';

export const UTM_SOURCE_MAX_LENGTH = 200;

/** The first parameter named `utm_source`. Each character of the name may be percent-encoded. */
const UTM_SOURCE =
  /(?:^|&)(?:u|%75)(?:t|%74)(?:m|%6[dD])(?:_|%5[fF])(?:s|%73)(?:o|%6[fF])(?:u|%75)(?:r|%72)(?:c|%63)(?:e|%65)(?:=([^&]*)|(?=&|$))/;
/** A character that is left after analytics-svc has cleaned the name of a source. */
const VISIBLE = /[^\s\p{Cc}]/u;

/**
 * Returns the first `utm_source` of a raw query string, decoded and cut to {@link UTM_SOURCE_MAX_LENGTH} UTF-16 units.
 * Returns an empty text if there is none, or if it is blank.
 */
export function utmSourceOf(query: string): string {
  // A visitor's query may be long, and parsing all of it is expensive.
  const value = UTM_SOURCE.exec(query)?.[1] ?? '';
  if (value === '') return '';
  const source = cutText(new URLSearchParams(`=${value}`).get('') ?? '', UTM_SOURCE_MAX_LENGTH);
  return VISIBLE.test(source) ? source : '';
}

/** Returns the `utm_source` of a URL that is a valid `Location` header, as {@link utmSourceOf} does. */
export function utmSourceOfUrl(url: string): string {
  const hash = url.indexOf('#');
  const base = hash === -1 ? url : url.slice(0, hash);
  const mark = base.indexOf('?');
  return mark === -1 ? '' : utmSourceOf(base.slice(mark + 1));
}
