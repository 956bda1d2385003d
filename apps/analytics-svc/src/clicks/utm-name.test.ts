import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utmName } from './utm-name.ts';

// What campaign builders, mailers and copied URLs send.
test.each([
  ['', ''],
  ['Summer_Sale-2026', 'summer_sale-2026'],
  [' Spring  Sale ', 'spring  sale'],
  ['{{campaign.name}}', '{{campaign.name}}'],
  ['%7Bcampaignid%7D', '%7bcampaignid%7d'],
  ['ÉTÉ 2026', 'été 2026'],
  ['СКИДКА', 'скидка'],
  ['夏セール', '夏セール'],
  ['a\u0000b\r\nc', 'a b  c'],
  ['\u0000', ''],
  ['\ud800x', '\ufffdx'],
  ['😀'.repeat(120), '😀'.repeat(100)],
  ['İ'.repeat(60), 'i̇'.repeat(50)],
])('%j is stored as %j', (sent, stored) => {
  expect(utmName(sent)).toBe(stored);
});

test('any text becomes at most 100 characters in lower case, without control characters, and stays as it is then', () => {
  const codePoint = fc.oneof(fc.integer({ min: 0, max: 0x2ff }), fc.integer({ min: 0, max: 0x10_ffff }));
  const text = fc.array(codePoint, { maxLength: 150 }).map((points) => String.fromCodePoint(...points));
  fc.assert(
    fc.property(text, (sent) => {
      const name = utmName(sent);
      expect([...name].length).toBeLessThanOrEqual(100);
      expect(name).not.toMatch(/\p{Cc}/u);
      expect(name.isWellFormed()).toBe(true);
      expect(utmName(name)).toBe(name);
    }),
  );
});
