import Type, { type Static } from 'typebox';
import { Notice } from '../notice.ts';
import { oneOf } from '../text.ts';
import { DESTINATION_MAX_LENGTH } from './destination.ts';
import { DOMAIN_MAX_LENGTH, hostOfDomain } from './domain.ts';
import { HASHTAG_SENT_MAX_LENGTH } from './hashtags.ts';
import { HEALTH_STATES, MANAGED_BY_MAX_LENGTH, MANAGED_BY_PATTERN, VISIBILITIES } from './link.ts';
import { FieldNames, ListedLink } from './shown-fields.ts';

export const LINK_SORTS = ['created_at', 'updated_at', 'title', 'slug', 'clicks', 'destination_url'] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

export const ARCHIVED_FILTERS = ['false', 'true', 'any'] as const;
export type ArchivedFilter = (typeof ARCHIVED_FILTERS)[number];

/** The value of the filter `host` for the default host. No short host has a name without a dot. */
export const DEFAULT_HOST_NAME = 'default';

/** Returns the short host that a valid filter `host` names, or null for the default host. */
export function hostOfFilter(host: string): string | null {
  const name = hostOfDomain(host);
  return name === DEFAULT_HOST_NAME ? null : name;
}

/** How many destinations of duplicates a list has at most. */
export const DUPLICATED_MAX = 1_000;

export const EXPIRED_FILTERS = ['false', 'true'] as const;

/** Returns the schema of a filter by a time. */
function moment(meaning: string) {
  return Type.String({
    maxLength: 40,
    format: 'moment',
    description: `${meaning}: an RFC 3339 time, or a date for its beginning in UTC.`,
    examples: ['2026-06-01'],
  });
}

/** The query of `GET /api/v1/links`, and the arguments of the tool `list_links`. */
export const ListLinksQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Search terms, at most 10, split at white space; every term must occur, ignoring case (`strasse` finds `Straße`) and Unicode normalization, in slug, title, destination URL, description, note or a hashtag. Every character is literal, but a term that is `#` and a hashtag finds links that have exactly that hashtag, and a term that is a short URL of this service or of a short host of the account finds that link.',
        examples: ['summer'],
      }),
    ),
    hashtag: Type.Optional(
      Type.String({
        maxLength: HASHTAG_SENT_MAX_LENGTH,
        format: 'hashtag',
        description: 'Only links that have this hashtag.',
        examples: ['summer'],
      }),
    ),
    visibility: Type.Optional(oneOf(VISIBILITIES, { description: 'Only links of this visibility.' })),
    domain: Type.Optional(
      Type.String({
        maxLength: DOMAIN_MAX_LENGTH,
        format: 'domain',
        description: 'Only links to this host or one below it: `example.com` finds `shop.example.com`.',
        examples: ['example.com'],
      }),
    ),
    archived: oneOf(ARCHIVED_FILTERS, {
      default: 'false',
      description: 'Whether to list links that are not archived, that are, or all.',
    }),
    host: Type.Optional(
      Type.String({
        maxLength: DOMAIN_MAX_LENGTH,
        format: 'host',
        description: 'Only links on this short host; `default` for those on the default host.',
        examples: ['default'],
      }),
    ),
    managed_by: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MANAGED_BY_MAX_LENGTH,
        pattern: MANAGED_BY_PATTERN,
        description: 'Only links with exactly this `managed_by`.',
        examples: ['team-a/links.yaml'],
      }),
    ),
    created_before: Type.Optional(moment('Only links created before then')),
    created_after: Type.Optional(moment('Only links created then or later')),
    expired: Type.Optional(
      oneOf(EXPIRED_FILTERS, { description: 'Only links that have expired by now, or only those that have not.' }),
    ),
    destination_url: Type.Optional(
      Type.String({
        maxLength: DESTINATION_MAX_LENGTH,
        format: 'destination-url',
        description: 'Only links to exactly this URL.',
        examples: ['https://example.com/summer?ref=mail'],
      }),
    ),
    health: Type.Optional(
      oneOf(HEALTH_STATES, { description: 'Only links whose destination is in this state, as their `health` says.' }),
    ),
    last_clicked_before: Type.Optional(moment('Only links not clicked since then, those never clicked included')),
    duplicates: Type.Optional(
      oneOf(['true'], {
        description: `Only links whose destination another link of the list has; not with \`q\`. At most ${DUPLICATED_MAX.toLocaleString('en')} destinations.`,
      }),
    ),
    fields: Type.Optional(FieldNames),
    page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number, from 1.' }),
    per: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Links on a page.' }),
    sort: oneOf(LINK_SORTS, { default: 'created_at', description: 'Field to sort by; ties are broken by id.' }),
    dir: oneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the sort.' }),
  },
  { additionalProperties: false },
);
export type ListLinksQuery = Static<typeof ListLinksQuery>;

/** One page of links. */
export const LinkList = Type.Object(
  {
    links: Type.Array(ListedLink, { description: 'The links of this page.' }),
    page: Type.Integer({ minimum: 1, description: 'Number of this page.', examples: [1] }),
    per: Type.Integer({ minimum: 1, description: 'Links on a page.', examples: [25] }),
    total: Type.Integer({ minimum: 0, description: 'Links in all pages.', examples: [137] }),
    total_pages: Type.Integer({ minimum: 0, description: 'Number of pages.', examples: [6] }),
    notice: Notice,
  },
  { additionalProperties: false, description: 'One page of links.' },
);
export type LinkList = Static<typeof LinkList>;

/** Splits a search at white space. Returns no empty terms. */
export function searchTerms(q: string | undefined): string[] {
  return (q ?? '').split(/\s+/u).filter((term) => term !== '');
}
