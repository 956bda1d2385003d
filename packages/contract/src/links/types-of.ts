import Type, { type TSchema } from 'typebox';

interface Shape {
  type?: unknown;
  items?: { type?: unknown };
  properties?: Record<string, TSchema>;
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
