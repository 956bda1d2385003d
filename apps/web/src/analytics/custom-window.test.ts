import { expect, test } from 'vitest';
import { analytics } from '../texts/analytics.ts';
import { faultOfWindow } from './custom-window.ts';

const { window: texts } = analytics;

test.each([
  ['2026-11-21', '2026-11-21', null],
  ['2025-11-21', '2026-11-21', null],
  ['2025-11-20', '2026-11-21', texts.tooLong(366)],
  ['2026-11-20', '2026-11-22', texts.future],
  ['2026-11-21', '2026-11-20', texts.reversed],
  ['', '2026-11-21', texts.incomplete],
  ['2026-11-21', '', texts.incomplete],
])('from %j to %j: %s', (from, to, fault) => {
  expect(faultOfWindow(from, to, '2026-11-21')).toBe(fault);
});
