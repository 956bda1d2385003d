import { hostOfDomain } from '@waymark/contract';

/** The parts of a URL around its host, which may be an IPv6 address. A destination has no user info. */
const PARTS = /^(https?:\/\/)(\[[^\]]*\]|[^/?#\\:]*)(.*)$/is;

/**
 * Returns a destination with the host `to` in place of the host `from`, or as it is if it has another host. Hosts are
 * compared as URLs write them: in lower case, international names in Punycode. The rest stays as it is.
 */
export function withHost(url: string, from: string, to: string): string {
  if (URL.parse(url)?.hostname !== hostOfDomain(from)) return url;
  return url.replace(PARTS, (_url, scheme: string, _host, rest: string) => `${scheme}${to}${rest}`);
}
