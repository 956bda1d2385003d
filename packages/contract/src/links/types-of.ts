import Type, { type TSchema } from 'typebox';

interface Shape {
  type?: unknown;
  items?: { type?: unknown };
  properties?: Record<string, TSchema>;
}

/** Fields of a link that are seldom set for many. Tools for many links take them, but do not list them. */
export const RARE_FIELDS: readonly string[] = [
  ...[
    'note',
    'password',
    'expired_url',
    'redirect_code',
    'rules',
    'social_title',
    'social_description',
    'social_image_url',
    'managed_by',
  ],
];

/** Returns the fields without {@link RARE_FIELDS}. */
export function frequent(fields: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !RARE_FIELDS.includes(name)));
}

/** Returns the fields of a tool's argument with only their types, all of them optional. Other tools describe them. */
export function typesOf(fields: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(Type.Unsafe(typeOf(field as Shape)))]),
  );
}

function typeOf({ type, items, properties }: Shape): object {
  return {
    type,
    ...(items !== undefined && { items: { type: items.type } }),
    ...(properties !== undefined && { properties: typesOf(properties) }),
  };
}
