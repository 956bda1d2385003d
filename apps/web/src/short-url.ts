import type { Link } from '@waymark/contract';
import { readableHost } from './hosts/host-name.ts';
import { PUBLIC_URL } from './page-facts.ts';

const { host, port } = new URL(PUBLIC_URL);

/** The host of short URLs that have no other one, with the port. */
export const DEFAULT_HOST = host;

/** Returns what the short URLs of a host begin with, without the scheme. Null is the default host. */
export function shortUrlStart(shortHost: string | null): string {
  if (shortHost === null) return `${DEFAULT_HOST}/`;
  const name = readableHost(shortHost);
  return port === '' ? `${name}/` : `${name}:${port}/`;
}

/** Returns the name of a link: its slug, or its short URL without the scheme if it is not on the default host. */
export function linkName({ slug, short_url }: Pick<Link, 'slug' | 'short_url'>): string {
  return short_url.startsWith(`${PUBLIC_URL}/`) ? slug : readableHost(short_url.replace(/^https?:\/\//, ''));
}
