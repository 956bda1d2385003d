/** The last label of a country, below one that everybody there uses, such as `co.uk`. */
const BELOW_COUNTRY = /\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/;

/** Returns the domain that the zone of a host most likely has: `example.com` for `go.example.com`. */
export function domainOf(host: string): string {
  return host
    .split('.')
    .slice(BELOW_COUNTRY.test(host) ? -3 : -2)
    .join('.');
}

/** Returns true if a host can have a CNAME record with this value: not a domain itself, and not to an address. */
export function canBeAlias(host: string, target: string): boolean {
  return host !== domainOf(host) && /\.[a-z][a-z\d-]*$/i.test(target);
}
