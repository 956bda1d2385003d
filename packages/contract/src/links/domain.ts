/** The maximum length of a domain name. */
export const DOMAIN_MAX_LENGTH = 253;

/**
 * Returns the host that a client means by `domain`, as URLs write it: in lower case, international names in Punycode.
 * Returns null if it is no host.
 */
export function hostOfDomain(domain: string): string | null {
  if (!/^(\[[0-9a-f:.]+\]|[^\s/\\?#@:%[\]]+)$/i.test(domain)) return null;
  return URL.parse(`http://${domain}/`)?.hostname || null;
}
