import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the key under which the address of `request.ip` is rate-limited: an IPv4 address itself, or the /64 network of
 * an IPv6 address, because one household has at least a /64 (RFC 6177).
 */
export function rateLimitKey(address: string): string {
  if (!isIPv6(address)) return address;
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
