import { expect, test } from 'vitest';
import { nameOfFilter } from './breakdown-rows.ts';

test.each([
  ['country', 'unknown', 'Unknown country'],
  ['country', 'JP', 'Japan'],
  ['source', 'direct', 'Direct'],
  ['source', 'direct.example', 'direct.example'],
  ['device', 'tablet', 'Tablet'],
  // Anybody can write an address.
  ['device', 'constructor', 'constructor'],
  ['browser', 'other', 'Other'],
  ['os', 'Android', 'Android'],
  ['hashtag', 'summer', '#summer'],
] as const)('%s %s is shown as %s', (filter, value, name) => {
  expect(nameOfFilter(filter, value)).toBe(name);
});
