import fc from 'fast-check';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { ANALYTICS_FIELDS, ANALYTICS_PARTS, CROSS_PARTS } from '../analytics/analytics-query.ts';
import { EVENT_TYPES } from '../events/event.ts';
import { Link } from '../links/link.ts';
import { validator } from '../validate.ts';
import { BROWSERS, DEVICES, OPERATING_SYSTEMS } from '../visitors/clients.ts';
import { FORMAT_PATTERNS } from './format-patterns.ts';

/** Pieces of valid and nearly valid values of each format. */
const PIECES: Record<string, string[]> = {
  'destination-url': [
    'http://',
    'HTTPS://',
    'a',
    'é',
    '.',
    '-',
    ':',
    '80',
    '@',
    '/',
    '\\',
    '?',
    '#',
    ' ',
    '%41',
    '[::1]',
    '|',
    '\u00a0',
    '\u3000',
  ],
  expiry: ['2027', '-', '01', '31', '02', '29', '13', 'T', 't', 'Z', 'z', ':', '23', '59', '60', '.', '5', '+'],
  rfc3339: ['2027', '-', '01', '31', '02', '29', '13', 'T', 't', 'Z', 'z', ':', '23', '59', '60', '.', '5', '+'],
  'exact-country': ['DE', 'de', 'GB', 'unknown', 'XX', 'Unknown', ' '],
  hashtag: ['#', '＃', 'a', 'É', 'ß', '日', '9', '_', '-', ' ', '.', '\u00b7', '\u200c', '\u30fb', 'م'],
  domain: ['a', 'é', '.', '-', ':', '80', '[', ']', '::1', '127.1', '@', '/', '%41', ' ', '|', '_', '\u3002'],
  'iana-time-zone': [...Intl.supportedValuesOf('timeZone'), 'UTC', 'EST5EDT', 'Etc/GMT+1', 'utc', '/', '+', ' ', '_'],
  'event-types': [...EVENT_TYPES, ',', ' ', 'link.*'],
  'link-fields': [...Object.keys(Link.properties), ',', ' ', 'x'],
  'analytics-parts': [...ANALYTICS_PARTS, ',', ' ', 'x'],
  'analytics-fields': [...ANALYTICS_FIELDS, ',', ' ', 'x'],
  'analytics-cross': [...CROSS_PARTS.flatMap((one) => CROSS_PARTS.map((two) => `${one},${two}`)), ',', 'day', 'x'],
  device: [...DEVICES, 'MOBILE', 'phone', ' '],
  country: ['DE', 'de', 'd', 'E', 'GB', 'us', 'ZZ', 'unknown', 'Unknown', 'Germany', ' '],
  browser: [...BROWSERS, 'firefox', 'x', ' '],
  'operating-system': [...OPERATING_SYSTEMS, 'android', 'x', ' '],
};
PIECES['optional-destination-url'] = PIECES['destination-url']!;
PIECES['optional-image-url'] = PIECES['destination-url']!;
PIECES.moment = PIECES.expiry!;
PIECES.host = PIECES.domain!;
PIECES['short-host'] = PIECES.domain!;
PIECES['iso-date'] = PIECES.expiry!;

const DIGITS = (length: number, max: number) =>
  fc.integer({ min: 0, max }).map((number) => String(number).padStart(length, '0'));
/** Times that are right in form, and some that no calendar has. */
const TIMES = fc
  .tuple(
    DIGITS(4, 9999),
    DIGITS(2, 14),
    DIGITS(2, 33),
    fc.constantFrom('', 'T', 't'),
    DIGITS(2, 25),
    DIGITS(2, 61),
    fc.constantFrom('Z', 'z', '.5Z', '+05:30', '-23:59', '+24:00'),
  )
  .map(([year, month, day, t, hour, minute, zone]) =>
    t === '' ? `${year}-${month}-${day}` : `${year}-${month}-${day}${t}${hour}:${minute}:${minute}${zone}`,
  );

test.each(Object.entries(FORMAT_PATTERNS))('every value of the format %s matches its pattern', (format, pattern) => {
  const check = validator(Type.String({ format }));
  const isValid = (text: string) => {
    try {
      check(text);
      return true;
    } catch {
      return false;
    }
  };
  const values = fc.oneof(
    fc.array(fc.constantFrom(...PIECES[format]!), { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc
      .array(fc.oneof(fc.constantFrom(...PIECES[format]!), fc.string({ unit: 'binary', maxLength: 2 })))
      .map((pieces) => pieces.join('')),
    TIMES,
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
  );
  const matches = new RegExp(pattern, 'u');
  let valid = 0;
  fc.assert(
    fc.property(values, (value) => {
      if (!isValid(value)) return;
      valid += 1;
      expect(value).toMatch(matches);
    }),
    { numRuns: 3_000 },
  );
  expect(valid).toBeGreaterThan(0);
});
