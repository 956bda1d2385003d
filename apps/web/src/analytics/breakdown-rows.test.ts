import { expect, test, vi } from 'vitest';
import { nameOfFilter } from './breakdown-rows.ts';

vi.mock('../page-facts.ts', () => ({ PUBLIC_URL: 'https://go.example' }));

test.each([
  ['country', 'unknown', 'Unknown country'],
  ['country', 'JP', 'Japan'],
  ['language', 'unknown', 'Unknown language'],
  ['language', 'pt', 'Portuguese'],
  // ISO 639 has no such language, but a browser may send it.
  ['language', 'xx', 'xx'],
  ['language', 'german', 'german'],
  ['utm_campaign', 'unknown', 'unknown'],
  ['source', 'direct', 'Direct'],
  ['source', 'direct.example', 'direct.example'],
  ['device', 'tablet', 'Tablet'],
  // Anybody can write an address.
  ['device', 'constructor', 'constructor'],
  ['browser', 'other', 'Other'],
  ['os', 'Android', 'Android'],
  ['hashtag', 'summer', '#summer'],
  ['host', 'default', 'Default host'],
  ['host', 'go.example.com', 'go.example.com'],
] as const)('%s %s is shown as %s', (filter, value, name) => {
  expect(nameOfFilter(filter, value)).toBe(name);
});
