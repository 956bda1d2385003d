import type { Host } from '@waymark/contract';
import { readItem, removeItem, writeItem } from '../api/site-data.ts';

const KEY = 'waymark.host';

/** Returns the host that this browser uses for new links, or null for the default one. */
export function readHostOfNewLinks(): string | null {
  return readItem('localStorage', KEY);
}

/** Remembers the host for new links. Null forgets it. */
export function rememberHostOfNewLinks(host: string | null): void {
  if (host === null) removeItem('localStorage', KEY);
  else writeItem('localStorage', KEY, host);
}

/**
 * Returns the host that a new link begins with, or null for the default one. Only a verified host of the account is used.
 * Until the hosts are known, returns the remembered one: the API refuses it if it is not verified.
 */
export function hostOfNewLink(hosts: readonly Host[] | undefined): string | null {
  const remembered = readHostOfNewLinks();
  const isUsable = hosts?.some(({ host, status }) => host === remembered && status === 'verified') ?? true;
  return isUsable ? remembered : null;
}
