import { DOMAIN_MAX_LENGTH } from '@waymark/contract';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d{0,5})?$/;
/** A dot, a colon and a port. */
const REST_MAX_LENGTH = 7;

/**
 * Returns the name in a `Host` header in lower case, without its port and a dot at its end. Returns null if there is none
 * or if it is no host.
 */
export function hostOf(header: string | undefined): string | null {
  if (header === undefined || header.length > DOMAIN_MAX_LENGTH + REST_MAX_LENGTH) return null;
  const name = HOST.exec(header.toLowerCase())?.[1];
  return name === undefined || name.length > DOMAIN_MAX_LENGTH ? null : name;
}
