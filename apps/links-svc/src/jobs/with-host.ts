import { hostOfDomain, hostOfUrl } from '@waymark/contract';

/** The parts of a URL around its host, which may be an IPv6 address. A destination has no user info. */
const PARTS = /^(https?:\/\/)(\[[^\]]*\]|[^/?#\\:]*)(.*)$/is;

/** A dot, or a full stop that URLs write as one. */
const FINAL_DOT = /[.。．｡]$/;

/**
 * Returns a destination with the host `to` in place of the host `from`, or as it is if it has another host. Hosts are
 * compared as URLs write them: in lower case, international names in Punycode. A final dot of a host does not count. The
 * rest stays as it is.
 */
export function withHost(url: string, from: string, to: string): string {
  if (hostOfUrl(new URL(url)) !== hostOfDomain(from)) return url;
  const host = to.replace(FINAL_DOT, '');
  return url.replace(PARTS, (_url, scheme: string, _host, rest: string) => `${scheme}${host}${rest}`);
}
