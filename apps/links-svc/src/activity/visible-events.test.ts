import { isHidden, VISIBILITIES } from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { EventDocument, NewEvent } from '../database/documents/event.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { SYSTEM } from '../events/actor.ts';
import { derivedFields } from '../links/link.ts';
import { appendLinkEvent } from '../links/link-changes.ts';
import { OPTIONAL_FIELD_DEFAULTS } from '../links/link-fields.ts';
import { LinkScope } from '../links/link-scope.ts';
import { type SeenEvent, seenEvent } from './visible-events.ts';

// docs/api.md, Events, last paragraph, for each key that does not see all links.

const SCOPES = [
  { name: 'public', sight: { accountId: 'a', scope: 'public_links_only' as const } },
  { name: '#x', sight: { accountId: 'a', scope: 'full_access' as const, key: { hashtag: 'x' } } },
  { name: 'public #x', sight: { accountId: 'a', scope: 'public_links_only' as const, key: { hashtag: 'x' } } },
];

const state = fc.record({ visibility: fc.constantFrom(...VISIBILITIES), hashtags: fc.subarray(['x', 'y', 'z']) });
/** A link is created, then updated, and maybe deleted, or something happens to it that changes no field. */
const history = fc.record({
  states: fc.array(fc.option(state), { minLength: 1, maxLength: 12 }),
  isDeleted: fc.boolean(),
});

function linkOf(
  id: string,
  { visibility, hashtags }: Pick<LinkDocument, 'visibility' | 'hashtags'>,
  n: number,
): LinkDocument {
  const fields = {
    ...{ host: null, host_id: null, slug: id, destination_url: 'https://example.com/', password_hash: null },
    ...OPTIONAL_FIELD_DEFAULTS,
    ...{ visibility, hashtags, title: `state ${n}` },
  };
  const [clicks, created_at] = [0, new Date(0)];
  const times = { clicks, last_clicked_at: created_at, created_at, updated_at: created_at };
  return { _id: id, account_id: 'a', ...fields, ...derivedFields(fields), ...times };
}

/** Returns the log that changes write. */
function logOf({
  states,
  isDeleted,
}: {
  states: (Pick<LinkDocument, 'visibility' | 'hashtags'> | null)[];
  isDeleted: boolean;
}) {
  const log: NewEvent[] = [];
  const draft = { append: (event: NewEvent) => log.push(event) } as unknown as AccountDraft;
  let link: LinkDocument | undefined;
  for (const [n, next] of states.entries()) {
    const before = link;
    if (next !== null) link = linkOf('l', next, n);
    if (link === undefined) continue;
    if (before === undefined) appendLinkEvent(draft, { type: 'link.created', actor: SYSTEM, link });
    else if (next === null) appendLinkEvent(draft, { type: 'link.expired', actor: SYSTEM, link });
    else appendLinkEvent(draft, { type: 'link.updated', actor: SYSTEM, link, before });
  }
  if (isDeleted && link !== undefined) appendLinkEvent(draft, { type: 'link.deleted', actor: SYSTEM, link });
  return log as EventDocument[];
}

/** Selects events as the queries of `EventsService` do. */
function read(log: readonly EventDocument[], scope: LinkScope): SeenEvent[] {
  const view = scope.view!;
  const last = log.findLastIndex(({ hidden_from }) => hidden_from?.includes(view));
  return log.flatMap((event, at) => {
    if (!event.seen_by!.includes(view)) return [];
    const seen = seenEvent(event, scope);
    // Whatever the view selects, it shows.
    expect(seen).not.toBeNull();
    return at < last ? [] : [seen!];
  });
}

test('a link is created when it is shown and deleted when it is hidden, and nothing earlier is shown again', () => {
  for (const { name, sight } of SCOPES) {
    const scope = new LinkScope(sight);
    const sees = ({ visibility, hashtags }: Pick<LinkDocument, 'visibility' | 'hashtags'>) =>
      (name.startsWith('public') ? !isHidden(visibility) : true) &&
      (name.includes('#') ? hashtags.includes('x') : true);
    fc.assert(
      fc.property(history, (one) => {
        const log = logOf(one);
        let expected: [string, unknown][] = [];
        let was = false;
        for (const { type, data } of log) {
          const { link } = data as { link: Pick<LinkDocument, 'visibility' | 'hashtags'> & { title: string } };
          const is = sees(link);
          if (was && !is) expected = [['link.deleted', undefined]];
          else if (is) expected.push([was ? type : 'link.created', link.title]);
          was = is;
        }
        const seen = read(log, scope);
        expect(seen.map(({ type, data }) => [type, (data.link as { title?: string }).title])).toEqual(expected);
        for (const event of seen) {
          expect(event).not.toHaveProperty('actor');
          if (event.type !== 'link.updated') expect(Object.keys(event.data)).toEqual(['link']);
        }
      }),
      { numRuns: 500 },
    );
  }
});
