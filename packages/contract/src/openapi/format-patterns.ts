import { ANALYTICS_FIELDS, ANALYTICS_PARTS, CROSS_PARTS } from '../analytics/analytics-query.ts';
import { EVENT_TYPES } from '../events/event.ts';
import { Link } from '../links/link.ts';

const DATE = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])';
const HOST = '[^\\x00-\\x20\\x7f/\\\\?#@<>^|]+';
const HOST_NAME = '^(\\[[0-9A-Fa-f:.]+\\]|[^\\x00-\\x20\\x7f/\\\\?#@:%\\[\\]<>^|]+)$';
/** A name of a browser or an operating system, in any case. */
const CLIENT = '^[A-Za-z0-9][A-Za-z0-9 ./+-]*$';
const AFTER_SCHEME = `://${HOST}([/\\\\?#]([^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x20\\x7f-\\x9f])?)?`;
const URL = `[Hh][Tt][Tt][Pp][Ss]?${AFTER_SCHEME}`;

/**
 * What a pattern can say of each format that the validation knows. Every valid value matches. Readers of the document
 * do not know the formats themselves, so these patterns are all that a generator or a fuzzer learns of them.
 */
export const FORMAT_PATTERNS: Record<string, string> = {
  'destination-url': `^${URL}$`,
  'optional-destination-url': `^(${URL})?$`,
  'optional-image-url': `^([Hh][Tt][Tt][Pp][Ss]${AFTER_SCHEME})?$`,
  expiry: `^(${DATE}[Tt]${TIME})?$`,
  moment: `^${DATE}([Tt]${TIME})?$`,
  rfc3339: `^${DATE}[Tt]${TIME}$`,
  'exact-country': '^[A-Z]{2}$|^unknown$',
  'iso-date': `^${DATE}$`,
  // Only of ASCII: not every language has classes of Unicode.
  hashtag: '^[#＃]?[^\\x00-\\x2c\\x2e\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]+$',
  host: HOST_NAME,
  'short-host': `${HOST_NAME}|^$`,
  domain: HOST_NAME,
  'iana-time-zone': '^[A-Za-z][A-Za-z0-9_+/-]*$',
  'link-fields': namesOf(Object.keys(Link.properties)),
  'event-types': namesOf(EVENT_TYPES),
  'analytics-parts': namesOf(ANALYTICS_PARTS),
  'analytics-fields': namesOf(ANALYTICS_FIELDS),
  'analytics-cross': namesOf(CROSS_PARTS),
  device: '^[A-Za-z]+$',
  country: '^[A-Za-z]{2}$|^[Uu][Nn][Kk][Nn][Oo][Ww][Nn]$',
  browser: CLIENT,
  'operating-system': CLIENT,
};

/** Returns the pattern of one or more of these names, separated by commas. */
function namesOf(names: readonly string[]): string {
  const one = `(${names.join('|').replaceAll('.', '\\.')})`;
  return `^${one}(,${one})*$`;
}
