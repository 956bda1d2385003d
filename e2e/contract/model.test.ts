import {
  type ArchivedFilter,
  isHidden,
  type Link,
  type LinkSort,
  type ListLinksQuery,
  normalizeHashtags,
  type Visibility,
} from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, api, createAccount, type TestAccount } from '../support/world.ts';

/** How many operations to run. */
const OPERATIONS = Number(process.env.MODEL_OPERATIONS ?? 600);
const OPERATIONS_A_RUN = 100;

/** A link as it should be by the contract. */
interface ModelLink extends Omit<Link, 'short_url' | 'last_clicked_at'> {
  owner: number;
  hasPassword: boolean;
}
type Fields = Partial<
  Pick<Link, 'slug' | 'destination_url' | 'title' | 'note' | 'hashtags' | 'visibility' | 'expires_at' | 'archived'>
> & { password?: string };
type Filters = Partial<Pick<ListLinksQuery, 'hashtag' | 'visibility' | 'domain' | 'archived' | 'last_clicked_before'>>;
interface Operation {
  kind: 'create' | 'get' | 'update' | 'delete' | 'list';
  owner: number;
  isPublicKey: boolean;
  /** Selects one of all links ever created, of any owner and even if it is deleted. */
  target: number;
  fields: Fields;
  query: { q: string; per: number; sort: LinkSort; dir: 'asc' | 'desc' } & Filters;
}

const text = fc.option(fc.constantFrom('alpha', 'Beta', 'gamma ray', 'δέλτα', 'x', ''), { nil: null });
const filters: fc.Arbitrary<Filters> = fc
  .record(
    {
      hashtag: fc.constantFrom('#TAG', 'other'),
      visibility: fc.constantFrom<Visibility>('public', 'unlisted', 'private', 'password-protected'),
      domain: fc.constantFrom('example.com', 'a.example.com', 'com'),
      last_clicked_before: fc.constantFrom('2026-01-31', '1960-01-01T00:00:00Z'),
    },
    { requiredKeys: [] },
  )
  // Most lists have no filter but `archived`.
  .chain((some) => fc.nat({ max: 2 }).map((n) => (n === 0 ? some : {})))
  .chain((some) => fc.constantFrom<ArchivedFilter>('false', 'true', 'any').map((archived) => ({ ...some, archived })));
const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom('create', 'create', 'get', 'update', 'update', 'update', 'delete', 'list', 'list'),
  owner: fc.nat({ max: 1 }),
  isPublicKey: fc.boolean(),
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
        archived: fc.boolean(),
        password: fc.constant('secret'),
      },
      { requiredKeys: [] },
    )
    // Passwords are rare, because hashing them is slow.
    .chain(({ password, ...rest }) =>
      fc.nat({ max: 9 }).map((n) => (n === 0 && password ? { ...rest, password } : rest)),
    ),
  query: fc
    .record({
      q: fc.constantFrom('', '', 'alpha', 'BETA', 'δέλτα', 'tag', 'one', 'x gamma'),
      per: fc.constantFrom(1, 3, 100),
      sort: fc.constantFrom<LinkSort>('created_at', 'updated_at', 'title', 'slug', 'clicks'),
      dir: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
    })
    .chain((query) => filters.map((filter) => ({ ...query, ...filter }))),
});

/** Returns true if a list with these filters shows the link. No link of the model was ever clicked. */
function passes(link: ModelLink, { hashtag, visibility, domain, archived }: Filters): boolean {
  const { hostname } = new URL(link.destination_url);
  return (
    (archived === 'any' || archived === String(link.archived)) &&
    (hashtag === undefined || link.hashtags.includes(normalizeHashtags([hashtag])[0]!)) &&
    (visibility === undefined || link.visibility === visibility) &&
    (domain === undefined || hostname === domain || hostname.endsWith(`.${domain}`))
  );
}

/** Two accounts and the links that they should have. */
class Model {
  readonly #accounts: TestAccount[];
  /** Slugs are unique across all accounts, so each run has its own prefix. */
  readonly #prefix: string;
  readonly #made: string[] = [];
  readonly #living = new Map<string, ModelLink>();

  constructor(accounts: TestAccount[]) {
    this.#accounts = accounts;
    this.#prefix = accounts[0]!.username;
  }

  async step(one: Operation): Promise<void> {
    const account = this.#accounts[one.owner]!;
    const rest = api(one.isPublicKey ? account.public : account.live);
    const fields =
      one.fields.slug === undefined ? one.fields : { ...one.fields, slug: `${this.#prefix}-${one.fields.slug}` };
    const id = this.#made[one.target % Math.max(1, this.#made.length)] ?? 'none';
    const there = this.#living.get(id);
    const link = there !== undefined && this.#sees(one, there) ? there : undefined;
    switch (one.kind) {
      case 'create':
        return this.#created(one, fields, await rest.create({ destination_url: 'https://example.com/', ...fields }));
      case 'get':
        return this.#shows(link, await rest.get(id));
      case 'update':
        return this.#updated(one, fields, link, await rest.update(id, fields));
      case 'delete':
        expect((await rest.delete(id)).status).toBe(link === undefined ? 404 : 204);
        if (link !== undefined) this.#living.delete(id);
        return;
      case 'list':
        return this.#listed(one, rest);
    }
  }

  #created(one: Operation, fields: Fields, answer: Answer<Link>): void {
    const refused = this.#refusal(one, fields, undefined);
    expect(answer.status, JSON.stringify(answer.body)).toBe(refused ?? 201);
    if (refused !== undefined) return;
    const { short_url: _, last_clicked_at: __, ...shown } = answer.body;
    const link: ModelLink = {
      ...{ description: null, clicks: 0, expired_url: null },
      destination_url: fields.destination_url ?? 'https://example.com/',
      expires_at: fields.expires_at || null,
      archived: fields.archived ?? false,
      ...{ id: shown.id, created_at: shown.created_at, updated_at: shown.created_at },
      slug: fields.slug ?? shown.slug,
      title: fields.title || null,
      note: fields.note || null,
      hashtags: normalizeHashtags(fields.hashtags ?? []),
      visibility: fields.password === undefined ? (fields.visibility ?? 'public') : 'password-protected',
      owner: one.owner,
      hasPassword: fields.password !== undefined,
    };
    expect(this.#made).not.toContain(link.id);
    this.#made.push(link.id);
    this.#living.set(link.id, link);
    this.#shows(link, { ...answer, status: 200 });
  }

  #updated(one: Operation, fields: Fields, link: ModelLink | undefined, answer: Answer<Link>): void {
    const refused = this.#refusal(one, fields, link);
    expect(answer.status, JSON.stringify(answer.body)).toBe(
      refused === 403 ? 403 : link === undefined ? 404 : (refused ?? 200),
    );
    if (answer.status !== 200 || link === undefined) return;
    const { password, hashtags, visibility, ...texts } = fields;
    Object.assign(link, texts);
    link.title ||= null;
    link.note ||= null;
    link.expires_at ||= null;
    if (hashtags !== undefined) link.hashtags = normalizeHashtags(hashtags);
    if (password !== undefined) link.hasPassword = true;
    link.visibility = password === undefined ? (visibility ?? link.visibility) : 'password-protected';
    if (Object.keys(fields).length > 0) {
      expect(answer.body.updated_at > link.updated_at).toBe(true);
      link.updated_at = answer.body.updated_at;
    }
    this.#shows(link, answer);
  }

  async #listed(one: Operation, rest: ReturnType<typeof api>): Promise<void> {
    const { q, per, sort, dir, ...filter } = one.query;
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
    const found: string[] = [];
    for (let page = 1; page <= pages + 1; page += 1) {
      const { status, body } = await rest.list(
        `?${new URLSearchParams({ q, per: `${per}`, page: `${page}`, sort, dir, ...filter })}`,
      );
      expect([status, body.total, body.total_pages]).toEqual([200, expected.length, pages]);
      expect(body.links).toHaveLength(Math.min(per, Math.max(0, expected.length - (page - 1) * per)));
      found.push(...body.links.map(({ id }) => id));
    }
    expect(found).toEqual(expected.map(({ id }) => id));
  }

  #shows(link: ModelLink | undefined, { status, body }: Answer<Link>): void {
    expect(status).toBe(link === undefined ? 404 : 200);
    if (link === undefined) {
      expect(body).toEqual({ error: 'Link not found.' });
      return;
    }
    const { owner: _, hasPassword: __, ...shown } = link;
    expect(body).toEqual({ ...shown, short_url: expect.stringMatching(`/${link.slug}$`), last_clicked_at: null });
  }

  #sees({ owner, isPublicKey }: Operation, link: ModelLink): boolean {
    return link.owner === owner && !(isPublicKey && isHidden(link.visibility));
  }

  /** Returns the status that rejects a creation or an update of `link`, or undefined if it is valid. */
  #refusal(
    { isPublicKey }: Operation,
    { slug, visibility, password }: Fields,
    link: ModelLink | undefined,
  ): number | undefined {
    if (isPublicKey && (password !== undefined || (visibility !== undefined && isHidden(visibility)))) return 403;
    if (password !== undefined && visibility !== undefined && visibility !== 'password-protected') return 422;
    if (visibility === 'password-protected' && password === undefined && !link?.hasPassword) return 422;
    const others = [...this.#living.values()].filter((other) => other !== link);
    return others.some((other) => other.slug.toLowerCase() === slug?.toLowerCase()) ? 422 : undefined;
  }
}

test(
  `${OPERATIONS} random operations show no link of another account and no hidden link to a public key, with exact counts and pages`,
  async () => {
    let done = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: OPERATIONS_A_RUN, maxLength: OPERATIONS_A_RUN, size: 'max' }),
        async (operations) => {
          const model = new Model([await createAccount(), await createAccount()]);
          for (const one of operations) await model.step(one);
          done += operations.length;
        },
      ),
      { numRuns: Math.ceil(OPERATIONS / OPERATIONS_A_RUN), endOnFailure: true },
    );
    expect(done).toBeGreaterThanOrEqual(OPERATIONS);
  },
  Math.max(60_000, OPERATIONS * 100),
);

function compare([a, idA]: [string | number, string], [b, idB]: [string | number, string]): number {
  if (a !== b)
    return typeof a === 'number' && typeof b === 'number'
      ? a - b
      : Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`));
  return idA < idB ? -1 : 1;
}
