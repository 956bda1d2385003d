import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A function that returns whether the service may connect to an IP address in text form. False for any other text. */
export type AddressFilter = (address: string) => boolean;

/**
 * Returns a filter that allows public unicast addresses (the registries of special-purpose addresses, RFC 6890 and its
 * successors), and the addresses and networks of `allow`. Unless `allow` contains it, an IPv6 address that embeds an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is refused, whatever the embedded address is.
 */
export function createAddressFilter(allow: readonly string[]): AddressFilter {
  const isInNetworks = createNetworkFilter(allow);
  return (text) => isInNetworks(text) || (isIP(text) !== 0 && isPublicUnicast(ipaddr.parse(text)));
}

/** Returns a filter that allows only these addresses and networks. */
export function createNetworkFilter(networks: readonly string[]): AddressFilter {
  const parsed = networks.map(parseNetwork);
  return (text) => {
    // The library also accepts short, octal and hexadecimal forms, which a socket never reports.
    if (isIP(text) === 0) return false;
    const address = ipaddr.parse(text);
    return parsed.some(([network, bits]) => isWithin(address, network, bits));
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The assigned part of global unicast (https://www.iana.org/assignments/ipv6-unicast-address-assignments). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public addresses at which a cloud serves its own machines: Azure's wire server. */
const CLOUD_METADATA = new Set(['168.63.129.16']);

function isPublicUnicast(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIPv6(address) ? address.match(GLOBAL_UNICAST) : !CLOUD_METADATA.has(address.toString());
}

function isIPv6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

function isWithin(address: Address, network: Address, bits: number): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Returns the network of a text, which is in CIDR notation or one address. */
function parseNetwork(text: string): [Address, number] {
  return ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
}
