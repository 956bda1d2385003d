import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutsOf, secondOf, utcDaysOf } from './utc-days.ts';
import { windowOf } from './window.ts';

const DAY_SECONDS = 86_400;

test('whole days of UTC and the edges are the window, each moment once', () => {
  fc.assert(
    fc.property(fc.nat(400 * 96), fc.nat(370 * 96), (start, length) => {
      const [from, to] = [start * 900, (start + length) * 900];
      const { firstDay, endDay, edges } = utcDaysOf(from, to);
      const spans = [...edges, [firstDay * DAY_SECONDS, endDay * DAY_SECONDS] as const]
        .filter(([begin, end]) => begin < end)
        .sort(([a], [b]) => a - b);
      expect(endDay).toBeGreaterThanOrEqual(firstDay);
      expect(spans.map(([begin]) => begin)).toEqual(
        length === 0 ? [] : [from, ...spans.slice(0, -1).map(([, end]) => end)],
      );
      if (length > 0) expect(spans.at(-1)![1]).toBe(to);
      for (const [begin, end] of edges) expect(end - begin).toBeLessThan(2 * DAY_SECONDS);
    }),
  );
});

test.each(['UTC', 'Asia/Kathmandu', 'America/New_York', 'Antarctica/Troll', 'Australia/Lord_Howe', 'Pacific/Niue'])(
  'the cuts of the days and their beginnings are the boundaries of %s',
  (tz) => {
    const { boundaries } = windowOf(365, tz, Date.UTC(2026, 10, 21, 12));
    const days = utcDaysOf(boundaries[0]!, boundaries.at(-1)!);
    const cuts = cutsOf(boundaries, days).flatMap((ofDay, index) =>
      ofDay.map((quarter) => secondOf(days.firstDay + index, quarter)),
    );
    const inside = boundaries.filter(
      (boundary) =>
        boundary > days.firstDay * DAY_SECONDS && boundary < days.endDay * DAY_SECONDS && boundary % DAY_SECONDS !== 0,
    );
    expect(cuts).toEqual(inside);
  },
);
