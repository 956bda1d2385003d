import Type, { type Static, type TOptional, type TSchema } from 'typebox';
import { nullableText, nullableTimestamp, oneOf, text, timestamp } from '../text.ts';
import { DESTINATION_MAX_LENGTH } from './destination.ts';
import { DOMAIN_MAX_LENGTH } from './domain.ts';
import { HASHTAGS_MAX } from './hashtags.ts';
import { RULES_MAX, Rule } from './rules.ts';
import { SLUG_MAX_LENGTH, SLUG_PATTERN } from './slug.ts';

/** The longest texts of a link, in code points. */
export const TITLE_MAX_LENGTH = 200;
export const DESCRIPTION_MAX_LENGTH = 1_000;

export const VISIBILITIES = ['public', 'unlisted', 'private', 'password-protected'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** The visibilities that a Public Links Only key sees. All other links do not exist for it. */
export const PUBLIC_VISIBILITIES = ['public', 'unlisted'] as const satisfies readonly Visibility[];

/** Returns true if a Public Links Only key must not see a link of this visibility. */
export function isHidden(visibility: Visibility): boolean {
  return !(PUBLIC_VISIBILITIES as readonly Visibility[]).includes(visibility);
}

const hashtag = Type.String({
  format: 'hashtag',
  description:
    'One hashtag: 1 to 50 letters (with their marks), digits, `_` or `-` of any script, and between two letters a joiner (U+200C, U+200D, `·`, `・`), counted in code points after case and Unicode normalization are folded. A leading # or ＃ is dropped.',
});

/** The statuses of redirects that a link can have. */
export const REDIRECT_CODES = [301, 302, 307, 308] as const;
export type RedirectCode = (typeof REDIRECT_CODES)[number];
export const DEFAULT_REDIRECT_CODE = 302;

/** The most redirects that `max_clicks` can allow. */
export const MAX_CLICKS_MAX = 1_000_000;

export const MANAGED_BY_MAX_LENGTH = 64;
export const MANAGED_BY_PATTERN = '^[A-Za-z0-9_./-]*$';

export const HEALTH_STATES = ['ok', 'broken', 'unknown'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** What is known of the destination of a link. */
export const Health = Type.Object(
  {
    state: oneOf(HEALTH_STATES, {
      description: 'Whether the destination is there (`ok`), gone (`broken`), or cannot be told (`unknown`).',
    }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 100,
      maximum: 599,
      description: 'The status of the response that says so. Null if there was none, and where `state` is `unknown`.',
    }),
    since: nullableTimestamp({ description: 'Since when it is so. Null where it is unknown.' }),
    checked_at: nullableTimestamp({ description: 'When a check last said so. Null where it is unknown.' }),
  },
  {
    additionalProperties: false,
    description: 'What is known of the destination. Destinations of links with clicks in 90 days are checked.',
    examples: [{ state: 'ok', status: 200, since: '2026-11-01T09:00:00.000Z', checked_at: '2026-11-21T09:00:00.000Z' }],
  },
);
export type Health = Static<typeof Health>;

/**
 * Every field of a link, in the order of the JSON. {@link Link}, {@link CreateLinkInput} and {@link UpdateLinkInput}
 * are built from this table.
 */
const FIELDS = {
  id: readOnly(
    Type.String({ description: 'Identifier of the link, set by the service.', examples: ['019a4f0e8f2c7d31a4b6'] }),
  ),
  host: {
    shown: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The short host of the link, or null for the default host.',
      examples: [null],
    }),
    sent: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: DOMAIN_MAX_LENGTH,
      format: 'short-host',
      description:
        'The short host of the link: a verified host of the account. `null` or an empty text is the default host.',
      examples: [null],
    }),
  },
  slug: writable(
    Type.String({
      minLength: 1,
      maxLength: SLUG_MAX_LENGTH,
      pattern: SLUG_PATTERN,
      format: 'slug',
      description:
        'Short path of the link: letters, digits, `_` and `-`, not beginning with `_` or `-`; unique on its host, ignoring case; reserved words are refused. Generated when not given.',
      examples: ['summer-sale'],
    }),
  ),
  short_url: readOnly(Type.String({ description: 'The short URL.', examples: ['https://go.example/summer-sale'] })),
  destination_url: writable(
    Type.String({
      minLength: 1,
      maxLength: DESTINATION_MAX_LENGTH,
      format: 'destination-url',
      description:
        'The URL that the link redirects to: an absolute http or https URL with a host, without user info, and not a short URL of this service.',
      examples: ['https://example.com/summer?ref=mail'],
    }),
  ),
  title: writable(nullableText(TITLE_MAX_LENGTH, { description: 'Title of the link.', examples: ['Summer sale'] })),
  description: writable(
    nullableText(DESCRIPTION_MAX_LENGTH, {
      description: 'Description of the link.',
      examples: ['Everything must go.'],
    }),
  ),
  note: writable(
    nullableText(5000, {
      description: 'Free-text note for the account’s own use; never shown to the public.',
      examples: ['Printed on the July flyer.'],
    }),
  ),
  hashtags: {
    shown: Type.Array(Type.String({ description: 'One hashtag, without #.' }), {
      description: 'Tags of the link.',
      examples: [['summer', 'sale']],
    }),
    // Nullable, because some generated clients send an empty list for an array that is not set and not nullable.
    sent: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: hashtag,
      maxItems: HASHTAGS_MAX,
      description:
        'Tags of the link, at most 20: 1–50 letters, digits, `_` or `-` of any script each, and joiners between letters. `null` is the empty list.',
      examples: [['summer', 'sale']],
    }),
  },
  visibility: writable(
    oneOf(VISIBILITIES, {
      description:
        'Who can see and follow the link: `public`, `unlisted` (not for search engines), `private` (no redirect) or `password-protected`.',
      examples: ['public'],
    }),
  ),
  password: writeOnly(
    text(1, 128, {
      description:
        'Password that visitors must enter; sets visibility to `password-protected` when visibility is not sent, and is refused with any other.',
      writeOnly: true,
    }),
  ),
  expires_at: {
    shown: nullableTimestamp({
      description: 'From this moment on, visitors get `expired_url` or a page that says that the link has expired.',
      examples: ['2027-09-01T00:00:00.000Z'],
    }),
    sent: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 40,
      format: 'expiry',
      description:
        'From this moment on, visitors get `expired_url` or a page that says that the link has expired. RFC 3339, at most 100 years ahead; an empty text means never.',
      examples: ['2027-09-01T00:00:00Z'],
    }),
  },
  expired_url: writable(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: DESTINATION_MAX_LENGTH,
      format: 'optional-destination-url',
      description: 'The URL that an expired link redirects to. It has the rules of `destination_url`.',
      examples: ['https://example.com/autumn'],
    }),
  ),
  archived: writable(
    Type.Boolean({
      description: 'An archived link is not listed unless asked for. It still redirects.',
      examples: [false],
    }),
  ),
  max_clicks: writable(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: MAX_CLICKS_MAX,
      description: 'So many redirects to the destination and not one more; then the link has expired.',
      examples: [1000],
    }),
  ),
  redirect_code: writable(
    Type.Unsafe<RedirectCode>({
      type: 'integer',
      enum: [...REDIRECT_CODES],
      description:
        'The status of the redirect. Browsers keep a `301` or `308` for 90 seconds, and do not ask again meanwhile.',
      examples: [302],
    }),
  ),
  rules: {
    shown: Type.Array(Rule, {
      description: 'Other destinations for some visitors. The first one that fits decides.',
      examples: [[{ to: 'https://example.com/app', device: ['mobile'], country: ['DE', 'AT'] }]],
    }),
    sent: Type.Unsafe<Rule[] | null>({
      type: ['array', 'null'],
      items: Rule,
      maxItems: RULES_MAX,
      description:
        'Other destinations for some visitors, at most 20. The first one that fits decides. `null` is the empty list.',
      examples: [[{ to: 'https://example.com/app', device: ['mobile'], country: ['DE', 'AT'] }]],
    }),
  },
  social_title: writable(
    nullableText(TITLE_MAX_LENGTH, {
      description: 'The title that link previews show. Link previews follow the link if all three `social_…` are null.',
      examples: ['The summer sale has begun'],
    }),
  ),
  social_description: writable(
    nullableText(DESCRIPTION_MAX_LENGTH, {
      description: 'The description that link previews show.',
      examples: ['Up to half off until Sunday.'],
    }),
  ),
  social_image_url: writable(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: DESTINATION_MAX_LENGTH,
      format: 'optional-image-url',
      description:
        'The URL of the image that link previews show. It has the rules of `destination_url`, and must be https.',
      examples: ['https://example.com/summer.png'],
    }),
  ),
  managed_by: writable(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: MANAGED_BY_MAX_LENGTH,
      pattern: MANAGED_BY_PATTERN,
      description: 'The tool that owns the link: letters, digits, `_`, `-`, `.` and `/`.',
      examples: ['team-a/links.yaml'],
    }),
  ),
  health: readOnly(Health),
  clicks: readOnly(
    Type.Integer({ minimum: 0, description: 'All clicks so far; may lag by a few seconds.', examples: [42] }),
  ),
  last_clicked_at: readOnly(
    nullableTimestamp({ description: 'When the link was last clicked.', examples: ['2026-11-21T09:30:00.000Z'] }),
  ),
  created_at: readOnly(
    timestamp({ description: 'When the link was created.', examples: ['2026-11-01T08:00:00.000Z'] }),
  ),
  updated_at: readOnly(
    timestamp({ description: 'When the link was last changed.', examples: ['2026-11-02T10:15:30.000Z'] }),
  ),
};

/** A link as REST and MCP return it. */
export const Link = Type.Object(schemasOf('shown'), { additionalProperties: false, description: 'A short link.' });
export type Link = Static<typeof Link>;

const { destination_url, ...otherFields } = schemasOf('sent');
const optionalFields = optional(otherFields);

/** The body of `POST /api/v1/links`, and the arguments of the tool `create_link`. */
export const CreateLinkInput = Type.Object(
  {
    destination_url,
    ...optionalFields,
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

/** The body of `PUT /api/v1/links/{id}`: the fields to change. */
export const UpdateLinkInput = Type.Object(
  { destination_url: Type.Optional(destination_url), ...optionalFields },
  { additionalProperties: false },
);
export type UpdateLinkInput = Static<typeof UpdateLinkInput>;

/** Returns true if this is a field of a link that only the service sets. */
export function isReadOnly(name: string): boolean {
  return Object.hasOwn(Link.properties, name) && !Object.hasOwn(UpdateLinkInput.properties, name);
}

/** What names a link in a path or an argument. The schema accepts any text: one that names no link is "not found". */
export const LinkId = Type.String({
  minLength: 1,
  maxLength: DESTINATION_MAX_LENGTH,
  description: 'The link: its `id`, its short URL or, on the default host, its slug, the last two in any case.',
  examples: ['019a4f0e8f2c7d31a4b6'],
});

/** The result of the tool `delete_link`. A tool must return a body, unlike `DELETE` over REST. */
export const DeletedLink = Type.Object(
  { id: Link.properties.id, deleted: Type.Literal(true, { description: 'Always true.' }) },
  { additionalProperties: false },
);
export type DeletedLink = Static<typeof DeletedLink>;

/** Defines a field that only the service sets. */
function readOnly<Schema extends TSchema>(shown: Schema) {
  return { shown };
}

/** Defines a field that a client may set and that is returned as it was sent. */
function writable<Schema extends TSchema>(schema: Schema) {
  return { shown: schema, sent: schema };
}

/** Defines a field that a client may set and that is never returned. */
function writeOnly<Schema extends TSchema>(sent: Schema) {
  return { sent };
}

type Fields = typeof FIELDS;
type SchemasOf<Use extends 'shown' | 'sent'> = {
  [Name in keyof Fields as Fields[Name] extends Record<Use, TSchema> ? Name : never]: Fields[Name] extends Record<
    Use,
    infer Schema
  >
    ? Schema
    : never;
};

/** Returns the schemas of the fields that are returned (`shown`), or of those that a client may send (`sent`). */
function schemasOf<Use extends 'shown' | 'sent'>(use: Use): SchemasOf<Use> {
  const schemas = Object.entries(FIELDS).flatMap(([name, field]) =>
    use in field ? [[name, field[use as keyof typeof field]]] : [],
  );
  return Object.fromEntries(schemas) as SchemasOf<Use>;
}

function optional<Schemas extends Record<string, TSchema>>(
  schemas: Schemas,
): { [Name in keyof Schemas]: TOptional<Schemas[Name]> } {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)])) as never;
}
