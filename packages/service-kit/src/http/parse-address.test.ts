import { isIP } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { parseAddress } from './parse-address.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();
const port = fc.nat(65_535);
const bytesOf = (address: string | null) => ipaddr.parse(address!).toByteArray();
const longestOf = ({ parts }: ipaddr.IPv6) => parts.map((part) => part.toString(16).padStart(4, '0')).join(':');
const isMapped = (address: string) => ipaddr.IPv6.parse(address).isIPv4MappedAddress();

test('an IPv4 address is the same with a port, in quotes and mapped to IPv6', () => {
  fc.assert(
    fc.property(ipv4, port, (address, port) => {
      const mapped = ipaddr.IPv4.parse(address).toIPv4MappedAddress();
      const spellings = [
        ...[address, `${address}:${port}`, `"${address}"`, `"${address}:${port}"`, ` ${address}:${port}\t`],
        ...[`::ffff:${address}`, `::FFFF:${address}`, mapped.toNormalizedString(), longestOf(mapped)],
        ...[`[::ffff:${address}]`, `[${mapped.toString()}]:${port}`, `"[::ffff:${address}]:${port}"`],
      ];
      for (const spelling of spellings) expect(parseAddress(spelling)).toBe(address);
    }),
  );
});

test('an IPv6 address is the same in each spelling, with a port, brackets, quotes or a zone', () => {
  fc.assert(
    fc.property(
      ipv6.filter((address) => !isMapped(address)),
      port,
      (address, port) => {
        const canonical = parseAddress(address)!;
        expect(isIP(canonical)).toBe(6);
        expect(bytesOf(canonical)).toEqual(bytesOf(address));
        const parsed = ipaddr.IPv6.parse(address);
        const bare = [canonical, longestOf(parsed), parsed.toNormalizedString(), address.toUpperCase()];
        const bracketed = [...bare, `${address}%eth0`].map((one) => `[${one}]`);
        const withPort = bracketed.map((one) => `${one}:${port}`);
        const spellings = [...bare, `${address}%1`, ...bracketed, ...withPort];
        for (const one of [...spellings, ...spellings.map((one) => `"${one}"`)])
          expect(parseAddress(one)).toBe(canonical);
      },
    ),
  );
});

test('two addresses are never the same', () => {
  fc.assert(
    fc.property(ipv6, ipv6, (one, other) => {
      const areSame = ipaddr.parse(one).toString() === ipaddr.parse(other).toString();
      expect(parseAddress(one) === parseAddress(other)).toBe(areSame);
    }),
  );
});

test.each([
  ['unknown', ''],
  ['obfuscated (RFC 7239)', '_hidden', '_SEVKISEK:1', '"_gazonk"'],
  ['a name', 'localhost', 'example.com:80'],
  ['unknown', 'unknown', 'UNKNOWN:80', '"unknown"'],
  ['other numbers', '1.2.3', '1.2.3.4.5', '010.0.0.1', '0x7f.0.0.1', '2130706433', '256.1.1.1', '1.2.3.4/8'],
  ['a broken port', '1.2.3.4:', '1.2.3.4:x', '1.2.3.4:123456', '1.2.3.4:1:2', '[::1]x', '[::1]:', '[::1]:-1'],
  ['broken brackets', '[1.2.3.4]', '[::1', '::1]', '[]', '[]:80', '[[::1]]', '[1.2.3.4]:80'],
  ['broken quotes', '"', '""', '"1.2.3.4', '1.2.3.4"', '""1.2.3.4""'],
  ['not one address', '1.2.3.4 5.6.7.8', '::1, ::2', '1.2.3.4\n5.6.7.8'],
])('%s is no address', (_kind, ...texts) => {
  for (const text of texts) expect({ text, address: parseAddress(text) }).toEqual({ text, address: null });
});

test('no text makes it throw, and what it returns is an address in its canonical spelling', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789abf.:[]%" ') })), (text) => {
      const address = parseAddress(text);
      if (address !== null) {
        expect(isIP(address)).not.toBe(0);
        expect(parseAddress(address)).toBe(address);
      }
    }),
  );
});
