import { AppError } from '@waymark/contract';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { DestinationDocument, StoredHealth } from '../database/documents/destination.ts';
import { LINK_CHANGE_BYTES, reportHealth } from '../links/link-changes.ts';
import { isSameHealth } from '../links/link-health.ts';
import type { DestinationsStore } from './destinations.store.ts';
import type { CheckedLink, LinkHealthStore } from './link-health.store.ts';

export interface LinkHealthDeps {
  accounts: Pick<AccountsStore, 'list'>;
  links: LinkHealthStore;
  destinations: DestinationsStore;
  changes: Pick<ChangeQueue, 'run'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** A link that was clicked so lately has its destination checked. */
const CLICKED_WITHIN_MS = 90 * 86_400_000;
const EVERY_MS = 3_600_000;
/** A destination that is wanted is noted once in this time. One that is not is forgotten after twice as long. */
const NOTED_FOR_MS = 12 * 3_600_000;
const ACCOUNTS_AT_A_TIME = 100;
/** So many events share a transaction. */
const EVENTS_AT_A_TIME = 50;
/** What becomes of an event if the account is being deleted meanwhile. */
const EXPECTED = ['not_found', 'unauthenticated'];

/**
 * The pass over the links that were clicked in 90 days: it notes their destinations to be checked, and gives each link
 * the health of its destination. A link that breaks or recovers gets an event.
 */
export class LinkHealth {
  readonly #deps: LinkHealthDeps;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LinkHealthDeps) {
    this.#deps = deps;
  }

  /** Makes a pass if one is due. Rejects in an outage. */
  async run(ending: AbortSignal): Promise<void> {
    const { accounts, destinations, now } = this.#deps;
    const startMs = now();
    if (startMs < this.#nextMs) return;
    for (let after = ''; ; ) {
      const some = await accounts.list(after, ACCOUNTS_AT_A_TIME);
      for (const { _id } of some) {
        if (ending.aborted) return;
        await this.#look(_id, new Date(startMs), ending);
      }
      if (some.length < ACCOUNTS_AT_A_TIME) break;
      after = some.at(-1)!._id;
    }
    if (ending.aborted) return;
    await destinations.forgetUnwanted(new Date(startMs - 2 * NOTED_FOR_MS));
    this.#nextMs = startMs + EVERY_MS;
  }

  async #look(accountId: string, now: Date, ending: AbortSignal): Promise<void> {
    const { links } = this.#deps;
    for await (const piece of links.clickedSince(accountId, new Date(now.getTime() - CLICKED_WITHIN_MS))) {
      if (ending.aborted) return;
      const known = await this.#want(accountId, [...new Set(piece.map(({ destination_url }) => destination_url))], now);
      const differing = piece
        .map((link) => ({ ...link, found: known.get(link.destination_url)?.health }))
        .filter((link) => !isSameHealth(link.health, link.found));
      await links.write(
        accountId,
        differing.filter((link) => !isReported(link, link.found)),
      );
      const reported = differing.filter((link) => isReported(link, link.found));
      for (let from = 0; from < reported.length; from += EVENTS_AT_A_TIME)
        await Promise.all(
          reported.slice(from, from + EVENTS_AT_A_TIME).map((link) => this.#report(accountId, link, link.found)),
        );
    }
  }

  /** Notes that these destinations are wanted, and returns what is known of them. */
  async #want(accountId: string, urls: readonly string[], now: Date): Promise<Map<string, DestinationDocument>> {
    const { destinations } = this.#deps;
    const known = await destinations.find(urls);
    const isNoted = ({ wanted_at, account_id }: DestinationDocument) =>
      now.getTime() - wanted_at.getTime() < NOTED_FOR_MS && [accountId, null].includes(account_id);
    const missing = urls.filter((url) => !known.has(url) || !isNoted(known.get(url)!));
    await destinations.want(accountId, missing, { known, now });
    const all = missing.length === 0 ? known : await destinations.find(urls);
    const due = new Map<string, Date>();
    for (const { host, check_at } of all.values())
      if (!due.has(host) || check_at < due.get(host)!) due.set(host, check_at);
    await destinations.makeDue(due);
    return all;
  }

  async #report(accountId: string, { _id, destination_url }: CheckedLink, found: StoredHealth | undefined) {
    const change: Change<void> = {
      accountId,
      size: 1,
      bytes: LINK_CHANGE_BYTES,
      reads: () => ({ links: [_id] }),
      decide: (draft) => {
        const link = draft.documents.links.get(_id);
        if (link?.destination_url === destination_url && isReported(link, found)) reportHealth(draft, link, found!);
      },
    };
    try {
      await this.#deps.changes.run(change);
    } catch (error) {
      if (!(error instanceof AppError && EXPECTED.includes(error.code))) throw error;
    }
  }
}

/** Returns true if what was found of a link is an event: it breaks, or it works again after that. */
function isReported(
  { reported_broken }: Pick<CheckedLink, 'reported_broken'>,
  found: StoredHealth | undefined,
): boolean {
  return found !== undefined && (found.state === 'broken') !== (reported_broken === true);
}
