import type { Analytics } from '@waymark/contract';
import { expect, test } from 'vitest';
import { clicksBefore } from './window-before.ts';

const shown = (fields: Partial<Analytics>) =>
  ({
    days: 1,
    tz: 'Europe/Berlin',
    from: '2026-11-21',
    to: '2026-11-21',
    previous: { from: '2026-11-20', to: '2026-11-20', clicks: 24 },
    ...fields,
  }) as Analytics;
/** One click in each hour of the 19th and the 20th. */
const HOURS = ['2026-11-19', '2026-11-20'].flatMap((date) =>
  Array.from({ length: 24 }, (_, hour) => ({
    hour: `${date}T${String(hour).padStart(2, '0')}:00:00+01:00`,
    clicks: 1,
  })),
);
const previous = (hours: typeof HOURS) => ({ clicks_by_hour: hours }) as unknown as Analytics;
const AFTERNOON = new Date('2026-11-21T13:35:00Z');

test('today is compared with yesterday until the same hour, in the zone of the view', () => {
  const yesterday = previous(HOURS.slice(24));
  expect(clicksBefore(shown({}), yesterday, AFTERNOON)).toEqual({ clicks: 15, untilHour: 15 });
  expect(clicksBefore(shown({}), yesterday, new Date('2026-11-20T23:00:00Z'))).toEqual({ clicks: 1, untilHour: 1 });
  expect(clicksBefore(shown({}), yesterday, new Date('2026-11-21T22:30:00Z'))).toEqual({ clicks: 24, untilHour: null });
  expect(clicksBefore(shown({}), null, AFTERNOON)).toBeNull();
});

test('of several days, only the last one ends early', () => {
  const twoDays = { days: 2, from: '2026-11-21', to: '2026-11-22', previous: { from: '', to: '', clicks: 48 } };
  const later = new Date('2026-11-22T13:35:00Z');
  expect(clicksBefore(shown(twoDays), previous(HOURS), later)).toEqual({ clicks: 39, untilHour: 15 });
});

test('what is over, is longer than hours are known, or is not compared', () => {
  const past = new Date('2026-11-25T13:35:00Z');
  expect(clicksBefore(shown({}), null, past)).toEqual({ clicks: 24, untilHour: null });
  expect(clicksBefore(shown({ days: 90 }), null, AFTERNOON)).toEqual({ clicks: 24, untilHour: null });
  expect(clicksBefore(shown({ tz: 'Mars' }), null, AFTERNOON)).toEqual({ clicks: 24, untilHour: null });
  expect(clicksBefore({ ...shown({}), previous: undefined } as unknown as Analytics, null, AFTERNOON)).toBeNull();
});
