import Type, { type Static, type TSchema } from 'typebox';
import { AppError } from '../errors.ts';
import { DOMAIN_MAX_LENGTH } from '../links/domain.ts';
import { HASHTAG_SENT_MAX_LENGTH, HASHTAGS_MAX } from '../links/hashtags.ts';
import { UpdateLinkInput } from '../links/link.ts';
import { type ExportLinksQuery, LINK_FILTERS } from '../links/link-export.ts';
import { searchTerms } from '../links/link-list.ts';
import { typesOf } from '../links/types-of.ts';
import { withoutDefaults } from '../links/without-defaults.ts';
import { oneOf } from '../text.ts';
import { validator } from '../validate.ts';

/** The kinds of jobs that work on the links that a filter finds. */
export const EDIT_JOB_KINDS = ['edit', 'delete'] as const;

/** The query of a list that finds the links of a job. */
export type LinkSelection = Omit<ExportLinksQuery, 'format'>;

export type JobFilter = Partial<LinkSelection> & { all?: boolean; ids?: string[] };

/** How many links the filter of a job may name. */
export const JOB_IDS_MAX = 1_000;

/** The filters of a list. They have no defaults: at least one must be sent. */
export const JobFilter = Type.Unsafe<JobFilter>(
  Type.Object(
    {
      ...withoutDefaults(LINK_FILTERS),
      all: Type.Optional(
        Type.Boolean({ description: 'True, and no filter, for every link, archived ones too.', examples: [true] }),
      ),
      ids: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64, description: 'Identifier of a link.' }), {
          minItems: 1,
          maxItems: JOB_IDS_MAX,
          description: 'These links, archived ones too, and no filter.',
          examples: [['019a4f0e8f2c7d31a4b6']],
        }),
      ),
    },
    {
      additionalProperties: false,
      description: 'The filters of the list, at least one, or `{"all":true}`, or `{"ids":[…]}`.',
    },
  ),
);

const { slug: _slug, password: _password, ...linkFields } = UpdateLinkInput.properties;
const hashtag = (description: string) =>
  Type.String({ maxLength: HASHTAG_SENT_MAX_LENGTH, format: 'hashtag', description, examples: ['summer'] });
const hashtags = (description: string) =>
  Type.Array(hashtag('One hashtag.'), { maxItems: HASHTAGS_MAX, description, examples: [['summer']] });
const host = (description: string, example: string) =>
  Type.String({ maxLength: DOMAIN_MAX_LENGTH, format: 'host', description, examples: [example] });

/** What an edit changes in each link. */
export const JobChange = Type.Object(
  {
    ...linkFields,
    replace_hashtag: Type.Optional(
      Type.Object(
        { from: hashtag('The hashtag that is replaced.'), to: hashtag('The hashtag in its place.') },
        { additionalProperties: false, description: 'Replaces a hashtag in the links that have it.' },
      ),
    ),
    remove_hashtags: Type.Optional(hashtags('Hashtags to remove.')),
    add_hashtags: Type.Optional(hashtags('Hashtags to add. A link that would have more than 20 is refused.')),
    replace_host: Type.Optional(
      Type.Object(
        {
          from: host('The host that is replaced, exactly.', 'old.example.com'),
          to: host('The host in its place.', 'new.example.com'),
        },
        {
          additionalProperties: false,
          description: 'Replaces the host of `destination_url` in the links that have it. The rest of it stays.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'The fields of an update, and changes of hashtags and hosts.' },
);
export type JobChange = Static<typeof JobChange>;

const kind = oneOf(EDIT_JOB_KINDS, { description: 'What to do with the links.', examples: ['edit'] });
const dry_run = Type.Optional(Type.Boolean({ default: false, description: 'True to count only, and change nothing.' }));

const MATCHED_MAX_MAX = 1_000_000_000;
const matched_max = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MATCHED_MAX_MAX,
    description: 'Does nothing if more match.',
    examples: [137],
  }),
);

/** The body of `POST /api/v1/jobs`. */
export const JobInput = Type.Object(
  { kind, filter: JobFilter, change: Type.Optional(JobChange), matched_max, dry_run },
  { additionalProperties: false },
);
export type JobInput = { filter: JobFilter; matched_max?: number; dry_run: boolean } & (
  | { kind: 'edit'; change: JobChange }
  | { kind: 'delete'; change?: undefined }
);

/** The fields of a change that the tool lists. Fields that describe one link are seldom set for many. */
const LISTED_CHANGES = [
  ...['visibility', 'expires_at', 'archived', 'replace_hashtag', 'remove_hashtags', 'add_hashtags', 'replace_host'],
] as const;
/** The filters that the tool lists. It takes every one of `list_links`. */
const LISTED_FILTERS = ['q', 'hashtag', 'visibility', 'domain', 'archived', 'host', 'all'] as const;

/**
 * The arguments of the tool as it lists them. Every model reads them with every request, so it lists the frequent
 * filters and fields, and only their types: `list_links` and `update_link` have all of them.
 */
export const JobArguments = Type.Object(
  {
    kind,
    filter: Type.Object(typesOf(propertiesOf(JobFilter), LISTED_FILTERS), {
      description: 'All filters of list_links, or all.',
    }),
    change: Type.Optional(
      Type.Object(typesOf(JobChange.properties, LISTED_CHANGES), {
        description: 'For edit; also fields of update_link but slug, password.',
      }),
    ),
    matched_max,
    dry_run,
  },
  { additionalProperties: false },
);

function propertiesOf(schema: TSchema): Record<string, TSchema> {
  return (schema as unknown as { properties: Record<string, TSchema> }).properties;
}

/** Checks the body of a job over REST. @throws {AppError} `invalid`. */
export const checkJobInput = jobCheck(validator(JobInput));

/** Returns the check of a job: `check` checks each field, this one whether they fit together. */
export function jobCheck<Sent>(check: (sent: Sent) => Static<typeof JobInput>): (sent: Sent) => JobInput {
  return (sent) => {
    const { kind, filter, change, matched_max, dry_run = false } = check(sent);
    checkFilter(filter);
    const common = { filter, dry_run, ...(matched_max !== undefined && { matched_max }) };
    if (kind === 'delete') {
      if (change !== undefined) throw new AppError('invalid', '"change" cannot be sent with "kind" delete.');
      return { kind, ...common };
    }
    if (change === undefined) throw new AppError('invalid', '"change" is required for "kind" edit.');
    const said = withoutEmptyLists(change);
    if (Object.keys(said).length === 0) throw new AppError('invalid', '"change" must change at least one field.');
    return { kind, change: said, ...common };
  };
}

/** No hashtag to add or to remove is no change, and gRPC does not tell it from a field that was not sent. */
function withoutEmptyLists({ add_hashtags = [], remove_hashtags = [], ...change }: JobChange): JobChange {
  return {
    ...change,
    ...(remove_hashtags.length > 0 && { remove_hashtags }),
    ...(add_hashtags.length > 0 && { add_hashtags }),
  };
}

/** A client must ask for every link explicitly. A filter that narrows nothing is refused. */
function checkFilter({ all, ids, ...filters }: JobFilter): void {
  const { q, archived, ...others } = filters;
  const narrows = Object.keys(others).length > 0 || searchTerms(q).length > 0 || archived === 'true';
  if (ids !== undefined) {
    if (all === undefined && Object.keys(filters).length === 0) return;
    throw new AppError('invalid', '"filter.ids" cannot be combined with other filters.');
  }
  if (all === false) throw new AppError('invalid', '"filter.all" must be true, or not be sent.');
  if (all === true && (narrows || archived !== undefined))
    throw new AppError('invalid', '"filter.all" cannot be combined with other filters.');
  if (all === undefined && !narrows)
    throw new AppError(
      'invalid',
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    );
}

/** Returns the query of a list that finds the links of a filter. */
export function selectionOf({ all, ids: _ids, ...filter }: JobFilter): LinkSelection {
  return { archived: all === true ? 'any' : 'false', ...filter };
}
