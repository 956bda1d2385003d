import Type, { type Static } from 'typebox';
import { text, timestamp } from '../text.ts';
import { type ExportLinksQuery, LINK_FILTERS } from './link-export.ts';
import { ListLinksQuery } from './link-list.ts';
import { withoutDefaults } from './without-defaults.ts';

/** How many saved filters an account can have. */
export const SAVED_FILTERS_MAX = 50;
const NAME_MAX_LENGTH = 50;

const { sort, dir } = ListLinksQuery.properties;

/** What a saved filter finds, and in which order. */
export type SavedFilterQuery = Partial<Omit<ExportLinksQuery, 'format'> & Pick<ListLinksQuery, 'sort' | 'dir'>>;

/** The filters of `GET /api/v1/links`, and its order. */
export const SavedFilterQuery = Type.Unsafe<SavedFilterQuery>(
  Type.Object(withoutDefaults({ ...LINK_FILTERS, sort, dir }), {
    additionalProperties: false,
    description: 'The filters of the list, `sort` and `dir`.',
    examples: [{ hashtag: 'summer', health: 'broken' }],
  }),
);

const name = text(1, NAME_MAX_LENGTH, { description: 'Tells it from others.', examples: ['Broken summer links'] });

/** The body of `POST /api/v1/me/filters`. */
export const SaveFilterInput = Type.Object(
  { name, query: SavedFilterQuery },
  { additionalProperties: false, description: 'A new saved filter.' },
);
export type SaveFilterInput = Static<typeof SaveFilterInput>;

/** A filter of the list that everyone with a session of the account has. */
export const SavedFilter = Type.Object(
  {
    id: Type.String({ description: 'Identifies the filter.', examples: ['019e4a7b-3c5d-7e8f-9a0b-1c2d3e4f5a6b'] }),
    name,
    query: SavedFilterQuery,
    created_at: timestamp({ description: 'When it was saved.', examples: ['2026-11-01T09:00:00.000Z'] }),
  },
  { additionalProperties: false, description: 'A saved filter of the list.' },
);
export type SavedFilter = Static<typeof SavedFilter>;

/** The response of `GET /api/v1/me/filters`. */
export const SavedFilters = Type.Object(
  { filters: Type.Array(SavedFilter, { maxItems: SAVED_FILTERS_MAX, description: 'The filters, by name.' }) },
  { additionalProperties: false, description: 'The saved filters of the account.' },
);
export type SavedFilters = Static<typeof SavedFilters>;

export const SAVED_FILTERS_FULL_MESSAGE = `An account can have at most ${SAVED_FILTERS_MAX} saved filters; delete one first.`;
export const NO_SUCH_FILTER_MESSAGE = 'There is no such saved filter.';
