import { expect, test } from 'vitest';
import { rateLimitKey } from './rate-limit-key.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
])('the address %s is limited as %s', (address, limited) => {
  expect(rateLimitKey(address)).toBe(limited);
});
