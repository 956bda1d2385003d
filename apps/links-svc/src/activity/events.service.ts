import type { AccountIdentity } from '@waymark/auth';
import {
  type AccountEvent,
  AppError,
  EVENTS_LOST_MESSAGE,
  type EventList,
  type EventType,
  eventTypesOf,
  type ListEventsQuery,
  MORE_EVENTS_NOTICE,
  noticeOf,
  UNAUTHENTICATED_MESSAGE,
} from '@waymark/contract';
import type { Filter } from 'mongodb';
import type { EventDocument } from '../database/documents/event.ts';
import { isLinkId } from '../database/ids.ts';
import { type LogPosition, revisionOf } from '../events/event.ts';
import { type EventsStore, ofLink } from '../events/events.store.ts';
import type { AccountLog, AccountLogs, FollowedAccount } from '../follower/account-logs.store.ts';
import { LinkScope, type Sight } from '../links/link-scope.ts';
import type { LinksService } from '../links/links.service.ts';
import { eventIdOf, positionOfId, proves } from './event-ids.ts';
import { seenEvent, storedTypes } from './visible-events.ts';

export interface EventsServiceDeps {
  events: EventsStore;
  logs: Pick<AccountLogs, 'open'>;
  links: Pick<LinksService, 'get'>;
}

/** Which events to read. */
export interface EventsQuery {
  /** The id of an event, or `next`. Default: the oldest event that is kept. */
  after?: string | undefined;
  types?: readonly EventType[] | undefined;
  /** Only events of this link. */
  linkId?: string | undefined;
  limit: number;
}

/** How many revisions one request looks through. */
const REVISIONS_MAX = 5_000;
/** How many events one request reads that may be seen. */
const CANDIDATES_MAX = 500;
const READ_MORE_AT_LEAST = 25;
const BEGINNING: LogPosition = { revision: 0, change_id: '' };
/** A page has no more than this, but always one event. */
const PAGE_MAX_BYTES = 1_048_576;

/** The events of accounts as clients and webhooks read them. */
export class EventsService {
  readonly #deps: EventsServiceDeps;

  constructor(deps: EventsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns events of an account, in their order, and the id to go on from: whoever does misses none and sees none twice.
   * One call does a bounded part of the work, so there may be more events as long as `next` is not `after`.
   * @throws {AppError} `invalid` if events after `after` are gone, or if it is no id; `unauthenticated` if the account is
   *   gone.
   */
  async read(sight: Sight, query: EventsQuery): Promise<EventList> {
    return this.#inLog(sight.accountId, (log) => new EventReader(this.#deps.events, log, sight).read(query));
  }

  /**
   * Returns the newest events of an account, or those before `after`, from the newest back, and the id to go on from. One
   * call does a bounded part of the work: there may be more events if the list is full or has a notice.
   * @throws {AppError} as {@link read}, but not because older events are gone.
   */
  async readBack(sight: Sight, query: EventsQuery): Promise<EventList> {
    return this.#inLog(sight.accountId, (log) => new EventReader(this.#deps.events, log, sight).readBack(query));
  }

  /**
   * Returns what {@link read} or {@link readBack} does, for a request. A link that is not named by its id must exist for
   * the identity.
   * @throws {AppError} also `not_found` for such a link.
   */
  async list(identity: AccountIdentity, query: ListEventsQuery): Promise<EventList> {
    const { after, types, link_id, limit, dir } = query;
    const linkId =
      link_id === undefined || isLinkId(link_id) ? link_id : (await this.#deps.links.get(identity, link_id)).id;
    const asked = { after, types: eventTypesOf(types), linkId, limit };
    return dir === 'desc' ? this.readBack(identity, asked) : this.read(identity, asked);
  }

  /** Returns an event as a viewer may see it now, or null. */
  async find(sight: Sight, id: string): Promise<AccountEvent | null> {
    return this.#inLog(sight.accountId, (log) => new EventReader(this.#deps.events, log, sight).find(id));
  }

  /** Returns the id after which the next event of an account comes. */
  async end(accountId: string): Promise<string> {
    return this.#inLog(accountId, async ({ account }) => eventIdOf(account, account));
  }

  async #inLog<Result>(accountId: string, read: (log: AccountLog) => Promise<Result>): Promise<Result> {
    const log = await this.#deps.logs.open(accountId);
    if (log === null) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    try {
      if (log.account.deleting_at !== undefined) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
      return await read(log);
    } finally {
      log.close();
    }
  }
}

/** Returns where an event, or the end of a log, is. */
function positionOf(at: EventDocument | FollowedAccount): LogPosition {
  return { revision: 'revision' in at ? at.revision : revisionOf(at._id), change_id: at.change_id };
}

/** Yields how many events to read: those that are asked for, and then more at a time, since the viewer may not see them. */
function* readSizes(limit: number): Generator<number> {
  for (let read = 0, size = limit; read < CANDIDATES_MAX; read += size, size = Math.max(limit, READ_MORE_AT_LEAST))
    yield size;
}

/** A page that fills. */
interface Page {
  events: AccountEvent[];
  bytes: number;
  isFull: boolean;
}

/** Reads the events of one account for one viewer, in one snapshot. */
class EventReader {
  readonly #events: EventsStore;
  readonly #log: AccountLog;
  readonly #scope: LinkScope;
  /** The id of the last event that hid a link from the viewer, by link. */
  readonly #hidings = new Map<string, Promise<string | null>>();

  constructor(events: EventsStore, log: AccountLog, sight: Sight) {
    this.#events = events;
    this.#log = log;
    this.#scope = new LinkScope(sight);
  }

  async find(id: string): Promise<AccountEvent | null> {
    const at = positionOfId(this.#log.account, id);
    if (at === null || at.revision === 0) return null;
    const [event] = await this.#readBetween(at.revision - 1, at.revision, {}, 1);
    if (event === undefined || !proves(at, positionOf(event))) return null;
    return (await this.#seen([event]))[0]!;
  }

  async read({ after, types, linkId, limit }: EventsQuery): Promise<EventList> {
    const { account } = this.#log;
    let position = after === undefined ? await this.#beginning() : await this.#positionAfter(after);
    // An index has the events of a link.
    const last =
      linkId === undefined ? Math.min(account.revision, position.revision + REVISIONS_MAX) : account.revision;
    const filter = linkId === undefined ? this.#filter(types) : { link_id: ofLink(linkId) };
    const page: Page = { events: [], bytes: 0, isFull: false };
    for (const size of readSizes(limit)) {
      if (position.revision >= last) break;
      const found = await this.#readBetween(position.revision, last, filter, size);
      position = (await this.#fill(page, found, types, limit)) ?? position;
      if (page.isFull) break;
      if (found.length < size) position = await this.#positionAt(last);
    }
    const { events } = page;
    const isCut = events.length < limit && position.revision < account.revision;
    return this.#list(events, eventIdOf(account, position), isCut);
  }

  async readBack({ after, types, linkId, limit }: EventsQuery): Promise<EventList> {
    const { account } = this.#log;
    const end = after === undefined ? account.revision + 1 : await this.#revisionOf(after);
    const first = linkId === undefined ? Math.max(end - 1 - REVISIONS_MAX, 0) : 0;
    const filter = linkId === undefined ? this.#filter(types) : { link_id: ofLink(linkId) };
    const page: Page = { events: [], bytes: 0, isFull: false };
    const { events } = page;
    let before = end;
    let next = after ?? eventIdOf(account, account);
    for (const size of readSizes(limit)) {
      const found = await this.#readBetween(first, before - 1, filter, size, 'desc');
      const position = await this.#fill(page, found, types, limit);
      if (position !== undefined) {
        before = position.revision;
        next = eventIdOf(account, position);
      }
      if (page.isFull) return this.#list(events, next, events.length < limit);
      if (found.length === size) continue;
      // If this one has expired, so have all before it.
      const [oldest] = first === 0 ? [] : await this.#readBetween(first, first + 1, {}, 1);
      if (oldest === undefined) return this.#list(events, next, false);
      return this.#list(events, eventIdOf(account, positionOf(oldest)), true);
    }
    return this.#list(events, next, true);
  }

  /**
   * Adds to a page what the viewer sees of events, until the page is full. Returns the position of the last one that is
   * done with, or undefined if none is.
   */
  async #fill(
    page: Page,
    found: readonly EventDocument[],
    types: readonly EventType[] | undefined,
    limit: number,
  ): Promise<LogPosition | undefined> {
    let position: LogPosition | undefined;
    for (const [at, event] of (await this.#seen(found)).entries()) {
      if (event !== null && (types?.includes(event.type) ?? true)) {
        page.bytes += Buffer.byteLength(JSON.stringify(event));
        page.isFull = page.events.length > 0 && page.bytes > PAGE_MAX_BYTES;
        if (page.isFull) break;
        page.events.push(event);
      }
      position = positionOf(found[at]!);
      page.isFull = page.events.length === limit;
      if (page.isFull) break;
    }
    return position;
  }

  #list(events: AccountEvent[], next: string, isCut: boolean): EventList {
    return { events, next, ...noticeOf([isCut ? MORE_EVENTS_NOTICE : undefined]) };
  }

  /** Returns the position before the oldest event that is kept. */
  async #beginning(): Promise<LogPosition> {
    const { account } = this.#log;
    const [oldest] = await this.#readBetween(0, account.revision, {}, 1);
    if (oldest === undefined) return positionOf(account);
    return { revision: revisionOf(oldest._id) - 1, change_id: '' };
  }

  /** Returns the position of an id, which nothing follows that is gone. */
  async #positionAfter(id: string): Promise<LogPosition> {
    const { account } = this.#log;
    const at = positionOfId(account, id);
    if (at === null || at.revision > account.revision) throw lost();
    const { revision } = at;
    const known = new Map([[account.revision, positionOf(account)]]);
    if (revision < account.revision)
      for (const event of await this.#readBetween(revision - 1, revision + 1, {}, 2))
        known.set(revisionOf(event._id), positionOf(event));
    const own = revision === 0 ? BEGINNING : known.get(revision);
    if ((own !== undefined && !proves(at, own)) || (revision < account.revision && !known.has(revision + 1)))
      throw lost();
    return own ?? { revision, change_id: '' };
  }

  /** Returns the revision of an id. Its event may have expired. */
  async #revisionOf(id: string): Promise<number> {
    const at = positionOfId(this.#log.account, id);
    if (at === null || at.revision > this.#log.account.revision) throw lost();
    const [event] = await this.#readBetween(at.revision - 1, at.revision, {}, 1);
    if (event !== undefined && !proves(at, positionOf(event))) throw lost();
    return at.revision;
  }

  async #positionAt(revision: number): Promise<LogPosition> {
    const { account } = this.#log;
    if (revision === account.revision) return positionOf(account);
    const [event] = await this.#readBetween(revision - 1, revision, {}, 1);
    if (event === undefined) throw lost();
    return positionOf(event);
  }

  /** Selects the events that the viewer may see as one of the types. */
  #filter(types: readonly EventType[] | undefined): Filter<EventDocument> {
    const { view } = this.#scope;
    if (view === null) return types === undefined ? {} : { type: { $in: [...types] } };
    return {
      ...(types !== undefined && { type: { $in: storedTypes(types) } }),
      seen_by: view,
    };
  }

  /** Returns what the viewer sees of each event, or null. */
  async #seen(found: readonly EventDocument[]): Promise<(AccountEvent | null)[]> {
    return Promise.all(
      found.map(async (event) => {
        const seen = seenEvent(event, this.#scope);
        if (seen === null || (await this.#isHiddenAfter(event))) return null;
        const { actor, ...rest } = seen;
        return {
          id: eventIdOf(this.#log.account, positionOf(event)),
          type: rest.type,
          created_at: event.created_at.toISOString(),
          ...(actor !== undefined && { actor }),
          data: rest.data,
        };
      }),
    );
  }

  /** Returns true if a later event hides the link from the viewer. */
  async #isHiddenAfter({ _id, link_id }: EventDocument): Promise<boolean> {
    const { view } = this.#scope;
    if (view === null || link_id === undefined) return false;
    let hiding = this.#hidings.get(link_id);
    if (hiding === undefined) {
      hiding = this.#lastHiding(link_id, view);
      this.#hidings.set(link_id, hiding);
    }
    const last = await hiding;
    return last !== null && last > _id;
  }

  #lastHiding(linkId: string, view: string): Promise<string | null> {
    const { account, accountId, reading } = this.#log;
    return reading.run(() =>
      this.#events.lastHiding({ accountId, linkId, view, upTo: account.revision }, reading.session),
    );
  }

  #readBetween(
    after: number,
    upTo: number,
    filter: Filter<EventDocument>,
    limit: number,
    dir: 'asc' | 'desc' = 'asc',
  ): Promise<EventDocument[]> {
    const { accountId, reading } = this.#log;
    return reading.run(() => this.#events.find({ accountId, after, upTo, filter, limit, dir }, reading.session));
  }
}

function lost(): AppError {
  return new AppError('invalid', EVENTS_LOST_MESSAGE);
}
