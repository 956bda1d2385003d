import Type, { type TSchema } from 'typebox';

interface Shape {
  type?: unknown;
  items?: { type?: unknown };
  properties?: Record<string, TSchema>;
}

/**
 * Returns fields of a tool's argument with only their types, all of them optional: every one, or those with these names.
 * Other tools describe them.
 */
export function typesOf(
  fields: Record<string, TSchema>,
  names: readonly string[] = Object.keys(fields),
): Record<string, TSchema> {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unsafe(typeOf(fields[name] as Shape)))]));
}

function typeOf({ type, items, properties }: Shape): object {
  return {
    type,
    ...(items !== undefined && { items: { type: items.type } }),
    ...(properties !== undefined && { properties: typesOf(properties) }),
  };
}
