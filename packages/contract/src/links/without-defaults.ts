import Type, { type TSchema } from 'typebox';

/** Returns fields of a query as fields of a JSON object: all optional, and without the defaults of the query. */
export function withoutDefaults(fields: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { default: _default, ...rest } = schema as TSchema & { default?: unknown };
      return [name, Type.Optional(Type.Unsafe(rest))];
    }),
  );
}
