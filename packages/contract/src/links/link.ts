import Type, { type Static } from 'typebox';
import { nullableText, nullableTimestamp, oneOf, text, timestamp } from '../text.ts';
import { DESTINATION_MAX_LENGTH } from './destination.ts';
import { SLUG_MAX_LENGTH, SLUG_PATTERN } from './slug.ts';

export const VISIBILITIES = ['public', 'unlisted', 'private', 'password-protected'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What a Public Links Only key sees; all else does not exist for it. */
export const PUBLIC_VISIBILITIES = ['public', 'unlisted'] as const satisfies readonly Visibility[];

/** True where a Public Links Only key must not see the link. */
export function isHidden(visibility: Visibility): boolean {
  return !(PUBLIC_VISIBILITIES as readonly Visibility[]).includes(visibility);
}

const slug = Type.String({
  minLength: 1,
  maxLength: SLUG_MAX_LENGTH,
  pattern: SLUG_PATTERN,
  format: 'slug',
  description:
    'Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique ignoring case; reserved words are refused. Generated when not given.',
  examples: ['summer-sale'],
});
const destinationUrl = Type.String({
  minLength: 1,
  maxLength: DESTINATION_MAX_LENGTH,
  format: 'destination-url',
  description: 'Where the link leads: an absolute http or https URL with a host and without user info.',
  examples: ['https://example.com/summer?ref=mail'],
});
const title = nullableText(200, { description: 'Title of the link.', examples: ['Summer sale'] });
const description = nullableText(1000, { description: 'Description of the link.', examples: ['Everything must go.'] });
const note = nullableText(5000, {
  description: 'Free-text note for the account’s own use; never shown to the public.',
  examples: ['Printed on the July flyer.'],
});
const hashtag = Type.String({
  format: 'hashtag',
  description:
    'One hashtag: 1 to 50 letters (with their marks), digits, `_` or `-` of any script, counted in code points after case and Unicode normalization are folded. A leading # is dropped.',
});
const visibility = oneOf(VISIBILITIES, {
  description:
    'Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.',
  examples: ['public'],
});
const password = text(1, 128, {
  description:
    'Password that visitors must give; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.',
  writeOnly: true,
});

/** A link as every door shows it. */
export const Link = Type.Object(
  {
    id: Type.String({
      description: 'Identifier of the link, set by the service.',
      examples: ['019a4f0e8f2c7d31a4b6'],
    }),
    slug,
    short_url: Type.String({
      description: 'The short URL.',
      examples: ['https://go.example/summer-sale'],
    }),
    destination_url: destinationUrl,
    title,
    description,
    note,
    hashtags: Type.Array(Type.String({ description: 'One hashtag, without #.' }), {
      description: 'Tags of the link.',
      examples: [['summer', 'sale']],
    }),
    visibility,
    clicks: Type.Integer({
      minimum: 0,
      description: 'All clicks so far; may lag by a few seconds.',
      examples: [42],
    }),
    last_clicked_at: nullableTimestamp({
      description: 'When the link was last clicked.',
      examples: ['2026-11-21T09:30:00.000Z'],
    }),
    created_at: timestamp({
      description: 'When the link was created.',
      examples: ['2026-11-01T08:00:00.000Z'],
    }),
    updated_at: timestamp({
      description: 'When the link was last changed.',
      examples: ['2026-11-02T10:15:30.000Z'],
    }),
  },
  { additionalProperties: false, description: 'A short link.' },
);
export type Link = Static<typeof Link>;

const writable = {
  slug: Type.Optional(slug),
  title: Type.Optional(title),
  description: Type.Optional(description),
  note: Type.Optional(note),
  hashtags: Type.Optional(
    Type.Array(hashtag, {
      maxItems: 20,
      description: 'Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each.',
      examples: [['summer', 'sale']],
    }),
  ),
  visibility: Type.Optional(visibility),
  password: Type.Optional(password),
};

/** The body of `POST /api/v1/links`, and the arguments of `create_link`. */
export const CreateLinkInput = Type.Object(
  {
    destination_url: destinationUrl,
    ...writable,
    auto_meta: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'When true, a title and a description that are not sent are read from the destination page.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateLinkInput = Static<typeof CreateLinkInput>;

/** The body of `PUT /api/v1/links/{id}`: only the fields to change. */
export const UpdateLinkInput = Type.Object(
  { destination_url: Type.Optional(destinationUrl), ...writable },
  { additionalProperties: false },
);
export type UpdateLinkInput = Static<typeof UpdateLinkInput>;

/** The identifier of a link in a path or an argument. Any other string is simply not found. */
export const LinkId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Identifier of the link, the `id` of a listed or created link.',
  examples: ['019a4f0e8f2c7d31a4b6'],
});

/** What `DELETE` gives over MCP, where an answer needs a body. */
export const DeletedLink = Type.Object(
  { id: LinkId, deleted: Type.Literal(true, { description: 'Always true.' }) },
  { additionalProperties: false },
);
export type DeletedLink = Static<typeof DeletedLink>;
