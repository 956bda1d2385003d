import { AppError, DOMAIN_MAX_LENGTH, hostOfDomain } from '@waymark/contract';
import { getPublicSuffix } from 'tldts';
import { txtName } from './host.ts';

/** A longer name has no room for its TXT record in DNS. */
const HOST_MAX_LENGTH = DOMAIN_MAX_LENGTH - txtName('').length;

/** A name with a dot, of labels as RFC 1123 has them. The last one is no number, so it is no address either. */
const NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)(?!0x[0-9a-f]*$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the name of a short host as it is stored: in lower case, in its ASCII form, without a dot at its end.
 * @throws {AppError} `invalid` if it is no host name with a dot, is a public suffix, or is a host of this service.
 */
export function shortHost(text: string, ownHosts: readonly string[]): string {
  const host = hostOfDomain(text) ?? '';
  if (host.length > DOMAIN_MAX_LENGTH || !NAME.test(host))
    throw invalid('must be a host name with a dot, such as go.example.com, without scheme, port, path and wildcard');
  if (host.length > HOST_MAX_LENGTH)
    throw invalid(
      `must be short enough for the name of its TXT record, ${txtName('…')}: ${HOST_MAX_LENGTH} characters`,
    );
  if (getPublicSuffix(host, { allowPrivateDomains: true }) === host)
    throw invalid('must not be a public suffix; send a host below it');
  if (ownHosts.includes(host)) throw invalid('must not be a host of this service itself');
  return host;
}

function invalid(rule: string): AppError {
  return new AppError('invalid', `"host" ${rule}.`);
}
