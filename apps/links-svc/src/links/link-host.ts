import { AppError, hostOfDomain } from '@waymark/contract';
import type { HostsStore } from '../hosts/hosts.store.ts';

/** The host of a link: its name, and the id of the account's host. Both are null for the default host. */
export interface LinkHost {
  host: string | null;
  host_id: string | null;
}

export const DEFAULT_HOST: LinkHost = { host: null, host_id: null };

/** The host that a client names. Its id is undefined if it is no verified host of the account. */
export interface ChosenHost {
  host: string | null;
  host_id: string | null | undefined;
}

/** Looks for the host that a client names. Null, an empty text and nothing are the default host. */
export async function chooseHost(
  hosts: Pick<HostsStore, 'findVerifiedHost'>,
  accountId: string,
  name: string | null | undefined,
): Promise<ChosenHost> {
  if (!name) return DEFAULT_HOST;
  const host = hostOfDomain(name) ?? name;
  const found = await hosts.findVerifiedHost(accountId, host);
  return { host, host_id: found?.id };
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
