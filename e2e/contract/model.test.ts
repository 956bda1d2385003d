import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountEvent,
  type Analytics,
  type ArchivedFilter,
  isHidden,
  type Link,
  type LinkSort,
  type ListLinksQuery,
  normalizeHashtags,
  type Visibility,
} from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventReader, linkEvents, linksAfter, viewOf } from '../support/event-reader.ts';
import { createOwner, createRestrictedKey, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { type Answer, api, BROWSER, eventually, request } from '../support/world.ts';

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack({ replicas: { 'links-svc': 3 } });
});
afterAll(() => own?.close());

/** The hashtag of restricted keys. */
const TAG = 'tag';
/** How many operations to run. */
const OPERATIONS = Number(process.env.MODEL_OPERATIONS ?? 300);
const OPERATIONS_A_RUN = 100;

/** How many links of a run are visited, and how many changes and questions about their clicks follow. */
const VISITED = 6;
const QUESTIONS = 12;

/** A link as it should be by the contract. */
interface ModelLink extends Omit<Link, 'short_url' | 'last_clicked_at'> {
  owner: number;
  hasPassword: boolean;
}
type Fields = Partial<
  Pick<
    Link,
    | 'slug'
    | 'destination_url'
    | 'title'
    | 'note'
    | 'hashtags'
    | 'visibility'
    | 'expires_at'
    | 'expired_url'
    | 'archived'
    | 'social_title'
    | 'managed_by'
    | 'redirect_code'
  >
> & { password?: string };
type Filters = Partial<
  Pick<
    ListLinksQuery,
    | 'hashtag'
    | 'visibility'
    | 'domain'
    | 'archived'
    | 'created_before'
    | 'created_after'
    | 'expired'
    | 'destination_url'
    | 'last_clicked_before'
    | 'managed_by'
  >
>;
interface Edit {
  op: 'create' | 'update' | 'delete';
  /** Selects one of all links ever created, of any owner and even if it is deleted. */
  target: number;
  fields: Fields;
}
/** The keys of an account: two restricted ones are for links with the hashtag `tag`. */
const KEYS = ['live', 'public', 'tagged', 'tagged-public'] as const;
interface Caller {
  owner: number;
  key: (typeof KEYS)[number];
}
interface Account {
  username: string;
  keys: Record<Caller['key'], string>;
}
const isPublic = ({ key }: Caller) => key.endsWith('public');
const isTagged = ({ key }: Caller) => key.startsWith('tagged');
interface Operation extends Caller {
  kind: 'get' | 'edit' | 'bulk' | 'list' | 'events';
  edits: Edit[];
  query: { q: string; per: number; sort: LinkSort; dir: 'asc' | 'desc'; fields: string | undefined } & Filters;
}

/** A new link, and the sources of its clicks. */
interface Visited {
  fields: Pick<Fields, 'hashtags' | 'title'> & { visibility: 'public' | 'unlisted' };
  sources: string[];
}
/** A change of a link that was visited, and the question that a key asks next. */
interface Question extends Caller {
  edit: Edit;
  filters: { hashtag?: string; source?: string };
  /** Asks for one link alone, any that was visited. */
  isOfLink: boolean;
}

const text = fc.option(fc.constantFrom('alpha', 'Beta', 'gamma ray', 'δέλτα', 'x', ''), { nil: null });
const filters: fc.Arbitrary<Filters> = fc
  .record(
    {
      hashtag: fc.constantFrom('#TAG', 'other'),
      visibility: fc.constantFrom<Visibility>('public', 'unlisted', 'private', 'password-protected'),
      domain: fc.constantFrom('example.com', 'a.example.com', 'com'),
      created_before: fc.constantFrom('2090-01-31', '2020-01-31'),
      created_after: fc.constantFrom('2020-01-31T12:00:00Z', '2090-01-31'),
      expired: fc.constantFrom('false', 'true'),
      destination_url: fc.constantFrom('https://example.com/', 'https://a.example.com/x'),
      last_clicked_before: fc.constantFrom('2026-01-31', '1960-01-01T00:00:00Z'),
      managed_by: fc.constantFrom('team-a', 'team-A'),
    },
    { requiredKeys: [] },
  )
  // Most lists have no filter but `archived`.
  .chain((some) => fc.nat({ max: 2 }).map((n) => (n === 0 ? some : {})))
  .chain((some) => fc.constantFrom<ArchivedFilter>('false', 'true', 'any').map((archived) => ({ ...some, archived })));
const edit: fc.Arbitrary<Edit> = fc.record({
  op: fc.constantFrom('create', 'create', 'update', 'update', 'update', 'delete'),
  target: fc.nat({ max: 60 }),
  fields: fc
    .record(
      {
        slug: fc.constantFrom('one', 'ONE', 'two', 'Two', 'three', 'four'),
        title: text,
        note: text,
        hashtags: fc.array(fc.constantFrom('#Tag', 'tag', 'other'), { maxLength: 3 }),
        visibility: fc.constantFrom<Visibility>('public', 'public', 'unlisted', 'private', 'password-protected'),
        destination_url: fc.constantFrom('https://example.com/', 'https://a.example.com/x', 'http://notexample.com/'),
        expires_at: fc.constantFrom('2026-01-31T12:00:00.000Z', '2090-01-31T12:00:00.000Z', ''),
        expired_url: fc.constantFrom('https://example.com/over', ''),
        archived: fc.boolean(),
        social_title: text,
        managed_by: fc.constantFrom('team-a', 'team-A', ''),
        redirect_code: fc.constantFrom(301 as const, 302 as const),
        password: fc.constant('secret'),
      },
      { requiredKeys: [] },
    )
    // Passwords are rare, because hashing them is slow.
    .chain(({ password, ...rest }) =>
      fc.nat({ max: 9 }).map((n) => (n === 0 && password ? { ...rest, password } : rest)),
    ),
});
const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom('get', 'edit', 'edit', 'edit', 'edit', 'edit', 'bulk', 'list', 'list', 'events'),
  owner: fc.nat({ max: 1 }),
  key: fc.constantFrom(...KEYS),
  edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
  query: fc
    .record({
      q: fc.constantFrom('', '', 'alpha', 'BETA', 'δέλτα', 'tag', 'one', 'x gamma'),
      per: fc.constantFrom(1, 3, 100),
      sort: fc.constantFrom<LinkSort>('created_at', 'updated_at', 'title', 'slug', 'clicks'),
      dir: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
      fields: fc.constantFrom(undefined, undefined, 'slug,clicks', 'visibility,archived,expires_at,expired_url'),
    })
    .chain((query) => filters.map((filter) => ({ ...query, ...filter }))),
});

const visited: fc.Arbitrary<Visited> = fc.record({
  fields: fc.record({
    title: text,
    hashtags: fc.subarray([TAG, 'other']),
    visibility: fc.constantFrom('public', 'unlisted'),
  }),
  sources: fc.array(fc.constantFrom('news', 'mail', 'chat'), { maxLength: 4 }),
});
const question: fc.Arbitrary<Question> = fc.record({
  owner: fc.nat({ max: 1 }),
  key: fc.constantFrom(...KEYS),
  edit,
  filters: fc.record(
    { hashtag: fc.constantFrom('#TAG', 'other'), source: fc.constantFrom('news', 'mail') },
    { requiredKeys: [] },
  ),
  isOfLink: fc.boolean(),
});

function hasExpired({ expires_at }: Pick<Link, 'expires_at'>): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

/** Links that have expired get their event at any time. */
function isNotExpiry({ type }: AccountEvent): boolean {
  return type !== 'link.expired';
}

/** Returns true if a list with these filters shows the link. Lists are asked before a link is clicked. */
function passes(link: ModelLink, filters: Filters): boolean {
  const { hashtag, visibility, domain, archived, created_before, created_after, expired, destination_url } = filters;
  const { hostname } = new URL(link.destination_url);
  return (
    (archived === 'any' || archived === String(link.archived)) &&
    (hashtag === undefined || link.hashtags.includes(normalizeHashtags([hashtag])[0]!)) &&
    (visibility === undefined || link.visibility === visibility) &&
    (created_before === undefined || Date.parse(link.created_at) < Date.parse(created_before)) &&
    (created_after === undefined || Date.parse(link.created_at) >= Date.parse(created_after)) &&
    (expired === undefined || String(hasExpired(link)) === expired) &&
    (filters.managed_by === undefined || link.managed_by === filters.managed_by) &&
    (destination_url === undefined || link.destination_url === destination_url) &&
    (domain === undefined || hostname === domain || hostname.endsWith(`.${domain}`))
  );
}

/** An edit of one link, as a bulk has it. */
type BulkOperation =
  | { op: 'create'; link: Fields }
  | { op: 'update'; id: string; link: Fields }
  | { op: 'delete'; id: string };
/** The response of an edit, also within a bulk. */
type Outcome = Pick<Answer<unknown>, 'status' | 'body'>;

/** A change of a link as the log of its account should have it. */
interface Change {
  type: 'link.created' | 'link.updated' | 'link.deleted';
  owner: number;
  /** The link after the change, or as it was deleted. */
  link: ModelLink;
}

/** Two accounts and the links that they should have. */
class Model {
  readonly #accounts: readonly Account[];
  /** Slugs are unique across all accounts, so each run has its own prefix. */
  readonly #prefix: string;
  readonly #made: string[] = [];
  readonly #living = new Map<string, ModelLink>();
  readonly #changes: Change[] = [];
  /** The sources of the clicks of each link that was visited, by its id. */
  readonly #clicks = new Map<string, string[]>();
  /** Each key goes on reading its events. */
  readonly #readers: readonly Record<Caller['key'], EventReader>[];

  constructor(accounts: readonly Account[]) {
    this.#accounts = accounts;
    this.#readers = accounts.map(readersOf);
    this.#prefix = accounts[0]!.username;
  }

  async step(one: Operation): Promise<void> {
    const account = this.#accounts[one.owner]!;
    const rest = api(account.keys[one.key], own.stack.urls.gateway);
    const [first] = one.edits;
    switch (one.kind) {
      case 'get': {
        const id = this.#idOf(first!);
        return this.#shows(this.#seen(one, id), await rest.get(id));
      }
      case 'edit': {
        const operation = this.#operationOf(first!);
        return this.#edited(one, operation, await send(rest, operation));
      }
      case 'bulk': {
        // An edit can select only links of earlier steps.
        const operations = one.edits.map((edit) => this.#operationOf(edit));
        const { status, body } = await rest.bulk(operations);
        expect([status, body.results.length]).toEqual([200, operations.length]);
        for (const [position, { status, link, error }] of body.results.entries())
          this.#edited(one, operations[position]!, { status, body: link ?? { error } });
        return;
      }
      case 'list':
        return this.#listed(one, rest);
      case 'events':
        return this.#read(one);
    }
  }

  #idOf({ target }: Edit): string {
    return this.#made[target % Math.max(1, this.#made.length)] ?? 'none';
  }

  #operationOf(edit: Edit, id = this.#idOf(edit)): BulkOperation {
    const { op, fields } = edit;
    const link = fields.slug === undefined ? fields : { ...fields, slug: `${this.#prefix}-${fields.slug}` };
    if (op === 'create') return { op, link: { destination_url: 'https://example.com/', ...link } };
    return op === 'update' ? { op, id, link } : { op, id };
  }

  /** Returns the link if it exists for the caller. */
  #seen(caller: Caller, id: string): ModelLink | undefined {
    const link = this.#living.get(id);
    return link !== undefined && this.#sees(caller, link) ? link : undefined;
  }

  #edited(caller: Caller, operation: BulkOperation, answer: Outcome): void {
    if (operation.op === 'create') this.#created(caller, operation.link, answer);
    else if (operation.op === 'update') this.#updated(caller, operation.link, this.#seen(caller, operation.id), answer);
    else {
      const isThere = this.#seen(caller, operation.id) !== undefined;
      expect(answer.status).toBe(isThere ? 204 : 404);
      if (!isThere) return;
      this.#changed('link.deleted', this.#living.get(operation.id)!);
      this.#living.delete(operation.id);
    }
  }

  #created(caller: Caller, fields: Fields, answer: Outcome): void {
    const refused = this.#refusal(caller, fields, undefined, false);
    expect(answer.status, JSON.stringify(answer.body)).toBe(refused ?? 201);
    if (refused !== undefined) return;
    const shown = answer.body as Link;
    const link: ModelLink = {
      ...{
        rules: [],
        max_clicks: null,
        host: null,
        description: null,
        clicks: 0,
        expired_url: fields.expired_url || null,
      },
      health: { state: 'unknown', status: null, since: null, checked_at: null },
      ...{ social_title: fields.social_title || null, social_description: null, social_image_url: null },
      destination_url: fields.destination_url ?? 'https://example.com/',
      expires_at: fields.expires_at || null,
      archived: fields.archived ?? false,
      managed_by: fields.managed_by || null,
      redirect_code: fields.redirect_code ?? 302,
      ...{ id: shown.id, created_at: shown.created_at, updated_at: shown.created_at },
      slug: fields.slug ?? shown.slug,
      title: fields.title || null,
      note: fields.note || null,
      hashtags: normalizeHashtags([...(fields.hashtags ?? []), ...(isTagged(caller) ? [TAG] : [])]),
      visibility: fields.password === undefined ? (fields.visibility ?? 'public') : 'password-protected',
      owner: caller.owner,
      hasPassword: fields.password !== undefined,
    };
    expect(this.#made).not.toContain(link.id);
    this.#made.push(link.id);
    this.#living.set(link.id, link);
    this.#changed('link.created', link);
    this.#shows(link, { ...answer, status: 200 });
  }

  #updated(caller: Caller, fields: Fields, link: ModelLink | undefined, answer: Outcome): void {
    const refused = this.#refusal(caller, fields, link, true);
    expect(answer.status, JSON.stringify(answer.body)).toBe(
      refused === 403 ? 403 : link === undefined ? 404 : (refused ?? 200),
    );
    if (answer.status !== 200 || link === undefined) return;
    const { password, hashtags, visibility, ...texts } = fields;
    const before = structuredClone(link);
    Object.assign(link, texts);
    link.title ||= null;
    link.managed_by ||= null;
    link.note ||= null;
    link.expires_at ||= null;
    link.expired_url ||= null;
    link.social_title ||= null;
    link.managed_by ||= null;
    if (hashtags !== undefined) link.hashtags = normalizeHashtags(hashtags);
    if (password !== undefined) link.hasPassword = true;
    link.visibility = password === undefined ? (visibility ?? link.visibility) : 'password-protected';
    if (password !== undefined || !isDeepStrictEqual(link, before)) {
      const { updated_at } = answer.body as Link;
      expect(updated_at > link.updated_at).toBe(true);
      link.updated_at = updated_at;
      this.#changed('link.updated', link);
    }
    this.#shows(link, answer);
  }

  async #listed(one: Operation, rest: ReturnType<typeof api>): Promise<void> {
    const { q, per, sort, dir, fields, ...filter } = one.query;
    const terms = q.toLowerCase().split(' ').filter(Boolean);
    const searched = (link: ModelLink) => [
      link.slug,
      link.title ?? '',
      link.destination_url,
      link.note ?? '',
      ...link.hashtags,
    ];
    const key = (link: ModelLink): [string | number, string] => [
      sort === 'title' || sort === 'slug' ? (link[sort] ?? '').toLowerCase() : link[sort],
      link.id,
    ];
    const expected = [...this.#living.values()]
      .filter((link) => this.#sees(one, link))
      .filter((link) => passes(link, filter))
      .filter((link) => terms.every((term) => searched(link).some((value) => value.toLowerCase().includes(term))))
      // In ascending order, links without a title come first.
      .sort(
        (a, b) =>
          Number(sort === 'title' && a.title !== null) - Number(sort === 'title' && b.title !== null) ||
          compare(key(a), key(b)),
      );
    if (dir === 'desc') expected.reverse();
    const pages = Math.ceil(expected.length / per);
    for (let page = 1; page <= pages + 1; page += 1) {
      const { status, body } = await rest.list(
        `?${new URLSearchParams({ q, per: `${per}`, page: `${page}`, sort, dir, ...(fields && { fields }), ...filter })}`,
      );
      expect([status, body.total, body.total_pages]).toEqual([200, expected.length, pages]);
      const onPage = expected.slice((page - 1) * per, page * per).map(shownAs);
      expect(body.links).toEqual(
        fields === undefined ? onPage : onPage.map((link) => pick(link, ['id', ...fields.split(',')])),
      );
    }
  }

  #changed(type: Change['type'], link: ModelLink): void {
    this.#changes.push({ type, owner: link.owner, link: structuredClone(link) });
  }

  /** Reads a page of events. It tells nothing of a link that is hidden from the key now. */
  async #read(one: Operation): Promise<void> {
    const page = await this.#readers[one.owner]![one.key].page(one.query.per);
    for (const { data } of linkEvents(page ?? [])) {
      const { id, ...shown } = data.link;
      if (this.#living.has(id) && this.#seen(one, id) === undefined)
        expect([shown, data.changes]).toEqual([{}, undefined]);
    }
  }

  /** Checks that the events of an account are its changes, in their order, and what each of its keys sees of them. */
  async expectEvents(owner: number): Promise<void> {
    const account = this.#accounts[owner]!;
    let log: AccountEvent[] = [];
    await eventually(async () => {
      const events = await readersOf(account).live.all();
      const expired = linkEvents(events).filter(({ type }) => type === 'link.expired');
      const own = [...this.#living.values()].filter((link) => link.owner === owner && hasExpired(link));
      expect(expired.map(({ data }) => data.link.id)).toEqual(expect.arrayContaining(own.map(({ id }) => id)));
      log = events.filter(isNotExpiry);
    });
    const changes = this.#changes.filter((change) => change.owner === owner);
    const found = linkEvents(log);
    expect(found.map(({ type, data }) => [type, data.link.id])).toEqual(
      changes.map(({ type, link }) => [type, link.id]),
    );
    for (const [at, { link }] of changes.entries()) {
      const { owner: _o, hasPassword: _p, note: _n, clicks: _c, health: _h, ...shown } = link;
      expect(found[at]!.data.link).toMatchObject(shown);
    }
    for (const key of KEYS) {
      const caller = { owner, key };
      const living = [...this.#living.values()].filter((link) => this.#sees(caller, link));
      const followed = await this.#readers[owner]![key].all(7);
      const versions = [...linksAfter(followed).values()].map(({ id, updated_at }) => [id, updated_at]);
      expect(versions.sort()).toEqual(living.map(({ id, updated_at }) => [id, updated_at]).sort());
      const all = (await readersOf(account)[key].all()).filter(isNotExpiry);
      if (key === 'live') expect([all, followed.filter(isNotExpiry)]).toEqual([log, log]);
      else
        expect(all.map(({ created_at: _, ...event }) => event)).toEqual(
          viewOf(log, (link) => this.#sees(caller, { ...link, owner })),
        );
    }
  }

  /** Creates links with each account, visits them, and waits until all clicks are counted. */
  async visit(links: readonly Visited[]): Promise<void> {
    for (const [owner, { keys }] of this.#accounts.entries()) {
      const rest = api(keys.live, own.stack.urls.gateway);
      for (const { fields, sources } of links) {
        const created = await rest.create({ destination_url: 'https://example.com/', ...fields });
        this.#created({ owner, key: 'live' }, fields, created);
        this.#clicks.set(created.body.id, sources);
        for (const source of sources) {
          const options = { base: own.stack.urls.gateway, headers: { 'user-agent': BROWSER } };
          expect((await request(`/${created.body.slug}?utm_source=${source}`, options)).status).toBe(302);
        }
      }
      const clicks = links.flatMap(({ sources }) => sources).length;
      await eventually(async () => expect((await rest.analytics()).body.clicks).toBe(clicks));
    }
  }

  /** Changes a link that was visited, and compares the figures that a key is shown next. */
  async ask({ edit, isOfLink, filters, ...caller }: Question): Promise<void> {
    const visited = [...this.#clicks.keys()];
    const id = visited[edit.target % visited.length]!;
    const owner = this.#living.get(id)?.owner ?? caller.owner;
    if (edit.op !== 'create') {
      const operation = this.#operationOf(edit, id);
      const rest = api(this.#accounts[owner]!.keys.live, own.stack.urls.gateway);
      this.#edited({ owner, key: 'live' }, operation, await send(rest, operation));
    }
    const { status, body } = await api(
      this.#accounts[caller.owner]!.keys[caller.key],
      own.stack.urls.gateway,
    ).analytics(`?${new URLSearchParams({ top: '100', ...filters, ...(isOfLink && { link_id: id }) })}`);
    if (isOfLink && this.#seen(caller, id) === undefined) {
      expect([status, body]).toEqual([404, { error: 'Link not found.' }]);
      return;
    }
    expect(status, JSON.stringify(body)).toBe(200);
    const { clicks, sources, devices, clicks_by_day: days, top_links: links } = body as Analytics;
    const counted = visited
      .filter((visited) => !isOfLink || visited === id)
      .flatMap((visited) => this.#seen(caller, visited) ?? [])
      .filter(
        ({ hashtags }) => filters.hashtag === undefined || hashtags.includes(normalizeHashtags([filters.hashtag])[0]!),
      )
      .flatMap((link) => this.#clicks.get(link.id)!.map((source) => ({ id: link.id, source })))
      .filter(({ source }) => filters.source === undefined || source === filters.source);
    expect({
      clicks,
      days: days.reduce((sum, day) => sum + day.clicks, 0),
      devices,
      sources: Object.fromEntries(sources.map((one) => [one.source, one.clicks])),
      links: Object.fromEntries(links.map((one) => [one.id, one.clicks])),
    }).toEqual({
      clicks: counted.length,
      days: counted.length,
      devices: counted.length === 0 ? [] : [{ device: 'desktop', clicks: counted.length }],
      sources: countOf(counted.map(({ source }) => source)),
      links: countOf(counted.map(({ id }) => id)),
    });
  }

  #shows(link: ModelLink | undefined, { status, body }: Outcome): void {
    expect(status).toBe(link === undefined ? 404 : 200);
    if (link === undefined) {
      expect(body).toEqual({ error: 'Link not found.' });
      return;
    }
    const { clicks, last_clicked_at } = body as Link;
    // Counters of links may lag by five seconds.
    const counters = this.#clicks.has(link.id) ? { clicks, last_clicked_at } : {};
    expect(body).toEqual({ ...shownAs(link), ...counters });
  }

  #sees(caller: Caller, link: Pick<ModelLink, 'owner' | 'visibility' | 'hashtags'>): boolean {
    if (link.owner !== caller.owner || (isPublic(caller) && isHidden(link.visibility))) return false;
    return !isTagged(caller) || link.hashtags.includes(TAG);
  }

  /** Returns the status that rejects a creation or an update of `link`, or undefined if it is valid. */
  #refusal(caller: Caller, fields: Fields, link: ModelLink | undefined, isUpdate: boolean): number | undefined {
    const { slug, visibility, password, hashtags } = fields;
    const losesTag = isUpdate && isTagged(caller) && hashtags !== undefined;
    if (losesTag && !normalizeHashtags(hashtags).includes(TAG)) return 403;
    if (isPublic(caller) && (password !== undefined || (visibility !== undefined && isHidden(visibility)))) return 403;
    if (password !== undefined && visibility !== undefined && visibility !== 'password-protected') return 422;
    if (visibility === 'password-protected' && password === undefined && !link?.hasPassword) return 422;
    const others = [...this.#living.values()].filter((other) => other !== link);
    return others.some((other) => other.slug.toLowerCase() === slug?.toLowerCase()) ? 422 : undefined;
  }
}

test(
  `${OPERATIONS} random operations show no link of another account, no hidden link to a public key and no link without its hashtag to a restricted key, with exact counts, pages, events and figures`,
  async () => {
    let done = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: OPERATIONS_A_RUN, maxLength: OPERATIONS_A_RUN, size: 'max' }),
        fc.array(visited, { minLength: VISITED, maxLength: VISITED }),
        fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS, size: 'max' }),
        async (operations, links, questions) => {
          const names = [1, 2].map(() => `t${randomBytes(6).toString('hex')}`);
          const model = new Model(await Promise.all(names.map(createAccount)));
          for (const one of operations) await model.step(one);
          for (const owner of names.keys()) await model.expectEvents(owner);
          await model.visit(links);
          for (const one of questions) await model.ask(one);
          done += operations.length;
        },
      ),
      { numRuns: Math.ceil(OPERATIONS / OPERATIONS_A_RUN), endOnFailure: true },
    );
    expect(done).toBeGreaterThanOrEqual(OPERATIONS);
  },
  Math.max(120_000, OPERATIONS * 200),
);

function readersOf({ keys }: Account): Record<Caller['key'], EventReader> {
  const readers = KEYS.map((key) => [key, new EventReader(keys[key], own.stack.urls.gateway)]);
  return Object.fromEntries(readers) as Record<Caller['key'], EventReader>;
}

async function createAccount(username: string): Promise<Account> {
  const { key: live, publicKey } = await createOwner(own.stack, username);
  const tagged = await createRestrictedKey(own.stack, username, { scope: 'full_access', hashtag: TAG });
  const taggedPublic = await createRestrictedKey(own.stack, username, { scope: 'public_links_only', hashtag: TAG });
  return { username, keys: { live, public: publicKey, tagged, 'tagged-public': taggedPublic } };
}

/** Sends an edit as a request of its own. */
function send(rest: ReturnType<typeof api>, operation: BulkOperation): Promise<Outcome> {
  if (operation.op === 'create') return rest.create(operation.link);
  return operation.op === 'update' ? rest.update(operation.id, operation.link) : rest.delete(operation.id);
}

/** Returns the link as responses show it, if nobody clicked it. */
function shownAs({ owner: _, hasPassword: __, ...link }: ModelLink): Link {
  return { ...link, short_url: expect.stringMatching(`/${link.slug}$`), last_clicked_at: null };
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function pick(link: Link, names: readonly string[]): Partial<Link> {
  return Object.fromEntries(Object.entries(link).filter(([name]) => names.includes(name)));
}

function compare([a, idA]: [string | number, string], [b, idB]: [string | number, string]): number {
  if (a !== b)
    return typeof a === 'number' && typeof b === 'number'
      ? a - b
      : Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`));
  return idA < idB ? -1 : 1;
}
