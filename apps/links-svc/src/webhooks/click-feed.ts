import type { AccountIdentity } from '@waymark/auth';
import type { RawClick } from '@waymark/contract';
import { type analyticsV1, type GrpcClient, rawClickFromMessage } from '@waymark/proto';
import type { Sight } from '../links/link-scope.ts';

export interface ClickFeedDeps {
  client: Pick<GrpcClient<typeof analyticsV1.AnalyticsService>, 'listClicks'>;
  /** Returns a signed identity. */
  mint(identity: AccountIdentity): Promise<string>;
}

export interface ClickPage {
  clicks: RawClick[];
  /** The cursor to go on from. */
  next: string;
  /** True if there may be more clicks already. A page with fewer clicks than the limit is the last one. */
  more: boolean;
}

/** The clicks behind a cursor, up to that of another click. */
export interface ClickStretch {
  after: string;
  upTo?: string;
}

const TIMEOUT_MS = 4_000;

/** Reads the counted clicks of accounts from analytics-svc, as a webhook may see them. */
export class ClickFeed {
  readonly #deps: ClickFeedDeps;

  constructor(deps: ClickFeedDeps) {
    this.#deps = deps;
  }

  /** Returns the cursor behind all clicks so far. Rejects with an `AppError`. */
  async end(accountId: string): Promise<string> {
    const sight: Sight = { accountId, scope: 'full_access' };
    return (await this.#deps.client.listClicks({ fromNow: true }, await this.#options(sight))).next;
  }

  /** Returns the first `limit` clicks of a stretch. Rejects with an `AppError`. */
  async read(sight: Sight, stretch: ClickStretch, limit: number): Promise<ClickPage> {
    const options = await this.#options(sight);
    const read: ClickPage = { clicks: [], next: stretch.after, more: true };
    while (read.more && read.clicks.length < limit) {
      const request = { ...stretch, after: read.next, limit: limit - read.clicks.length };
      const { clicks, next, more } = await this.#deps.client.listClicks(request, options);
      read.clicks.push(...clicks.map(rawClickFromMessage));
      read.next = next;
      read.more = more;
    }
    return read;
  }

  async #options({ accountId, scope, key }: Sight) {
    const restriction = { id: 'webhook', name: 'webhook', hashtag: key?.hashtag ?? null, expiresAt: null };
    const identity = await this.#deps.mint({
      kind: 'account',
      accountId,
      username: '',
      plan: 'developer',
      scope,
      ...(restriction.hashtag !== null && { key: { ...restriction, actions: ['read', 'analytics'] } }),
    });
    return { timeoutMs: TIMEOUT_MS, identity };
  }
}
