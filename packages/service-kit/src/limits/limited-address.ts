import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What an address is limited by: an IPv4 address as it is, also where it is written as IPv6 (`::ffff:192.0.2.1`), and
 * of an IPv6 address the first 64 bits, since one household has all addresses that begin with them (RFC 6177).
 */
export function limitedAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
