import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the key under which an address is rate-limited: an IPv4 address itself, even if it is written as IPv6
 * (`::ffff:192.0.2.1`), or the /64 network of an IPv6 address, because one household has at least a /64 (RFC 6177).
 */
export function rateLimitKey(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
