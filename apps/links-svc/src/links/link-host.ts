import { AppError, hostOfDomain } from '@waymark/contract';
import type { LinkHost } from '../database/documents/link.ts';
import type { HostsStore } from '../hosts/hosts.store.ts';

export const DEFAULT_HOST: LinkHost = { host: null, host_id: null };
const NO_IDS: ReadonlyMap<string, string | null> = new Map();

/** The host that a client names. Its id is undefined if it is no verified host of the account. */
export interface ChosenHost {
  host: string | null;
  host_id: string | null | undefined;
}

/**
 * What a client sends as the host of a link. Null, an empty text, nothing, and a name of the service itself are the
 * default host.
 */
export type NamedHost = string | null | undefined;

/** Looks for the host that a client names. */
export async function chooseHost(
  hosts: Pick<HostsStore, 'idsOf'>,
  accountId: string,
  name: NamedHost,
): Promise<ChosenHost> {
  return (await chooseHosts(hosts, accountId, [name]))(name);
}

/** Looks for the hosts that a client names, and returns the function that returns each of them. */
export async function chooseHosts(
  hosts: Pick<HostsStore, 'idsOf'>,
  accountId: string,
  names: readonly NamedHost[],
): Promise<(name: NamedHost) => ChosenHost> {
  const wanted = [...new Set(names.flatMap((name) => (name ? hostNameOf(name) : [])))];
  const ids = wanted.length === 0 ? NO_IDS : await hosts.idsOf(accountId, wanted, 'verified');
  return (name) => {
    if (!name) return DEFAULT_HOST;
    const host = hostNameOf(name);
    const host_id = ids.get(host);
    return host_id === null ? DEFAULT_HOST : { host, host_id };
  };
}

/** Returns the name of a short host as it is stored, or the text if it is none. */
function hostNameOf(text: string): string {
  return hostOfDomain(text) ?? text;
}

/**
 * Returns the chosen host as a link has it. A link may keep a host that is not verified any more.
 * @throws {AppError} `invalid` if it is no verified host of the account, and not that of the link.
 */
export function linkHostOf(chosen: ChosenHost, link?: Partial<LinkHost>): LinkHost {
  const { host, host_id } = chosen;
  if (host_id !== undefined) return { host, host_id };
  if (host === link?.host) return { host, host_id: link.host_id! };
  throw noSuchHost(host);
}

/** Returns the error of a host that links of the account cannot have. */
export function noSuchHost(host: string | null): AppError {
  return new AppError(
    'invalid',
    `"host" must be a verified host of this account, or null; you sent ${JSON.stringify(host)}.`,
  );
}
