import { Account } from '../accounts/account.ts';
import { AccountKey, AccountKeys, NewKey } from '../accounts/key.ts';
import { CreateSessionInput, Session } from '../accounts/session.ts';
import { Analytics } from '../analytics/analytics.ts';
import { BulkInputInFull, BulkResults } from '../links/bulk.ts';
import { HashtagList } from '../links/hashtag-list.ts';
import { CreateLinkInput, Link, UpdateLinkInput } from '../links/link.ts';
import { LinkList } from '../links/link-list.ts';
import { ListedLink } from '../links/shown-fields.ts';

/** A JSON object of the document. */
export type Json = Record<string, unknown>;

/** The named schemas of the document. */
const NAMED = {
  Account,
  AccountKey,
  AccountKeys,
  NewKey,
  CreateSessionInput,
  Session,
  Link,
  LinkList,
  ListedLink,
  CreateLinkInput,
  UpdateLinkInput,
  BulkInput: BulkInputInFull,
  BulkResults,
  HashtagList,
  Analytics,
};
export type SchemaName = keyof typeof NAMED | 'Error';

const ErrorSchema = {
  type: 'object',
  description: 'The body of every error response: exactly one field.',
  required: ['error'],
  properties: { error: { type: 'string', description: 'What is wrong and how to correct it, in one sentence.' } },
  additionalProperties: false,
};

/** Returns a reference to a named schema. */
export function schemaRef(name: SchemaName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the `components.schemas` of the document. A named schema inside another one becomes a reference. */
export function namedSchemas(): Record<SchemaName, Json> {
  const named = Object.entries(NAMED).map(([name, schema]) => [
    name,
    withDefaultsInWords(withReferences(schema, name)),
  ]);
  return { ...(Object.fromEntries(named) as Record<keyof typeof NAMED, Json>), Error: ErrorSchema };
}

/** Returns the properties of an object schema as query parameters. All are optional and keep their defaults. */
export function queryParameters(schema: { properties: object }): Json[] {
  return Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { description, examples, ...rest } = property as { description: string; examples?: unknown[] };
    return {
      name,
      in: 'query',
      description,
      required: false,
      ...(examples === undefined ? {} : { example: examples[0] }),
      schema: toJson(rest),
    };
  });
}

/** Returns a plain JSON copy of a schema. */
export function toJson(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** Moves defaults into the descriptions: client generators make a body property required if it has a default. */
function withDefaultsInWords(schema: Json): Json {
  const properties = Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { default: value, ...rest } = property;
    if (value === undefined) return [name, property];
    return [name, { ...rest, description: `${String(rest.description)} Default: \`${String(value)}\`.` }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

function withReferences(schema: unknown, own: string): Json {
  const names = new Map(
    Object.entries(NAMED)
      .filter(([name]) => name !== own)
      .map(([name, named]) => [JSON.stringify(named), name as SchemaName]),
  );
  const replace = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const name = names.get(JSON.stringify(value));
    if (name !== undefined) return schemaRef(name);
    if (Array.isArray(value)) return value.map(replace);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]));
  };
  return replace(toJson(schema)) as Json;
}
