import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in square brackets, an IPv4 address, or an IPv6 address; a port may follow the first two. */
const SPELLINGS = /^(?:\[(?<bracketed>[^\]]*)\](?::\d{1,5})?|(?<v4>[\d.]+)(?::\d{1,5})?|(?<v6>[^[\]]*))$/;

/**
 * Returns the address in a text, in its one canonical spelling, or null if the text has none. Proxies write addresses
 * with a port, in square brackets and in quotes (RFC 7239, section 6). An IPv4 address that is mapped to IPv6 is
 * returned as IPv4. The zone of an IPv6 address is removed: it is a network of this machine, not a part of the address.
 */
export function parseAddress(text: string): string | null {
  const { bracketed, v4, v6 } = SPELLINGS.exec(withoutQuotes(text.trim()))?.groups ?? {};
  const address = (bracketed ?? v4 ?? v6 ?? '').replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 4) return bracketed === undefined ? address : null;
  if (version === 0) return null;
  const parsed = ipaddr.IPv6.parse(address);
  return (parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed).toString();
}

function withoutQuotes(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
