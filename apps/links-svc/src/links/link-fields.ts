import {
  DEFAULT_REDIRECT_CODE,
  type Link,
  normalizeHashtags,
  type RedirectCode,
  timeOfRfc3339,
  type UpdateLinkInput,
  type Visibility,
} from '@waymark/contract';
import type { LinkDocument, LinkFields } from '../database/documents/link.ts';

/** The optional fields. A slug and a destination are required, and hosts and passwords have rules of their own. */
type OptionalName = Exclude<keyof UpdateLinkInput, 'host' | 'slug' | 'destination_url' | 'password'>;
type OptionalFields = Pick<LinkFields, OptionalName>;

interface StoredField<Sent, Stored, Shown> {
  /** Stored if the client does not send the field. */
  default: Stored;
  toStored(sent: Sent): Stored;
  toShown(stored: Stored): Shown;
}

/** How each optional field is stored, in the order in which a link shows them. */
const OPTIONAL_FIELDS: {
  [Name in OptionalName]: StoredField<Exclude<UpdateLinkInput[Name], undefined>, LinkFields[Name], Link[Name]>;
} = {
  title: text(),
  description: text(),
  note: text(),
  hashtags: {
    default: [],
    toStored: (sent) => normalizeHashtags(sent ?? []),
    toShown: (stored) => stored,
  },
  visibility: asSent<Visibility>('public'),
  expires_at: {
    default: null,
    toStored: (sent) => (sent ? timeOfRfc3339(sent) : null),
    toShown: (stored) => stored?.toISOString() ?? null,
  },
  expired_url: text(),
  archived: asSent<boolean>(false),
  max_clicks: asSent<number | null>(null),
  redirect_code: asSent<RedirectCode>(DEFAULT_REDIRECT_CODE),
  rules: { default: [], toStored: (sent) => sent ?? [], toShown: (stored) => stored },
  social_title: text(),
  social_description: text(),
  social_image_url: text(),
  managed_by: text(),
};

function asSent<Value>(whenNotSent: Value): StoredField<Value, Value, Value> {
  return { default: whenNotSent, toStored: (sent) => sent, toShown: (stored) => stored };
}

/** An empty text is stored as null, because MCP clients have no other way to empty a field. */
function text(): StoredField<string | null, string | null, string | null> {
  return { ...asSent<string | null>(null), toStored: (sent) => sent || null };
}

type Values = Record<string, unknown>;
const ENTRIES = Object.entries(OPTIONAL_FIELDS) as [OptionalName, StoredField<unknown, unknown, unknown>][];

/** Returns a link with the `expires_at` that clients know. */
export function withOwnExpiry<Fields extends Pick<LinkDocument, 'expires_at' | 'own_expires_at'>>(
  link: Fields,
): Fields {
  return link.own_expires_at === undefined ? link : { ...link, expires_at: link.own_expires_at };
}

/** What is stored for the optional fields if a client sends none of them. */
export const OPTIONAL_FIELD_DEFAULTS = Object.fromEntries(
  ENTRIES.map(([name, field]) => [name, field.default]),
) as unknown as OptionalFields;

/** Returns the optional fields that were sent, as they are stored. */
export function storedOptionalFields(input: UpdateLinkInput): Partial<OptionalFields> {
  const stored: Values = {};
  for (const [name, { toStored }] of ENTRIES) {
    if (input[name] !== undefined) stored[name] = toStored(input[name]);
  }
  return stored;
}

/**
 * Returns the optional fields of a stored link as clients see them. A link that was stored before a field existed has its
 * default.
 */
export function shownOptionalFields(
  link: OptionalFields & Pick<LinkDocument, 'own_expires_at'>,
): Pick<Link, OptionalName> {
  const own = withOwnExpiry(link);
  const shown: Values = {};
  for (const [name, field] of ENTRIES) shown[name] = field.toShown(own[name] ?? field.default);
  return shown as Pick<Link, OptionalName>;
}
