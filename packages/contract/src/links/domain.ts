/** The maximum length of a domain name. */
export const DOMAIN_MAX_LENGTH = 253;

/** A host as a URL has it: labels of a name, or an IPv6 address. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/;

/**
 * Returns the host that a client means by `domain`, as URLs write it: in lower case, international names in Punycode,
 * but without a final dot. Returns null for anything else: `*.example.com`, `.example.com`, a list, or a host with a
 * scheme, a port or a path.
 */
export function hostOfDomain(domain: string): string | null {
  if (!/^(\[[0-9a-f:.]+\]|[^\s/\\?#@:%[\]]+)$/i.test(domain)) return null;
  const url = URL.parse(`http://${domain}/`);
  return url !== null && HOST.test(url.hostname) ? hostOfUrl(url) : null;
}

/**
 * Returns the host of a URL as it is compared with others: in lower case, international names in Punycode, without port
 * and final dot. The URL parser does the rest, but it keeps the case of schemes that it does not know.
 */
export function hostOfUrl({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}
