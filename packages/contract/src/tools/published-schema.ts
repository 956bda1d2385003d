import type { TSchema } from 'typebox';

/** JSON Schema 2020-12 as it is sent to a client. */
export type JsonSchema = { type: 'object'; [keyword: string]: unknown };

type Schema = Record<string, unknown>;
type Fields = Record<string, Schema>;

/**
 * What an argument means, in the few words that a model needs: a client sends the inputs of all tools to its model with
 * every request. A field that is not here has its schema's own description.
 */
const ARGUMENT_DESCRIPTIONS: Record<string, string> = {
  id: 'From list_links.',
  q: 'Words that must all occur in the texts, tags or URL; #tag; a short URL.',
  page: 'Page number.',
  per: 'Links per page.',
  sort: 'Sort by.',
  dir: 'Direction.',
  destination_url: 'http or https URL.',
  slug: 'Letters, digits, _ and -.',
  title: 'Title.',
  description: 'Description.',
  note: 'Never shown to visitors.',
  hashtags: 'Each 1-50 letters, digits, _ or -.',
  visibility:
    'unlisted: not for search engines; private: no redirect. private and password-protected need a Full Access key.',
  password: 'For visitors; implies password-protected. Needs a Full Access key.',
  auto_meta: 'Read missing title and description from the page.',
  days: 'Today included.',
  tz: 'IANA time zone.',
  source: 'Only clicks from this source.',
};

/**
 * The keywords of an input that every client's converter accepts: Gemini's refuses `additionalProperties: false` and
 * patterns with Unicode classes, OpenAI's strict mode `default` and unknown formats. The server checks all of it anyway.
 */
const INPUT_KEYWORDS = ['enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'];

/** Returns the input schema of a tool, made of the schema that validates. */
export function publishedInput(schema: TSchema): JsonSchema {
  return inputOf(schema as Schema) as JsonSchema;
}

function inputOf(schema: Schema): Schema {
  const published: Schema = { type: withoutNull(schema.type), ...pick(schema, INPUT_KEYWORDS) };
  if (schema.items !== undefined) published.items = inputOf(schema.items as Schema);
  if (schema.properties === undefined) return published;
  const properties = schema.properties as Fields;
  published.properties = mapFields(properties, (field, name) => ({
    ...inputOf(field),
    description: argumentDescription(field, name),
  }));
  // Typebox requires a field with a default, since it is there after validation; a client need not send it.
  const required = ((schema.required ?? []) as string[]).filter((name) => !('default' in properties[name]!));
  if (required.length > 0) published.required = required;
  return published;
}

/** A tool has no `null`: it means that the argument was not sent. */
function withoutNull(type: unknown): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

function argumentDescription(field: Schema, name: string): string {
  const words = ARGUMENT_DESCRIPTIONS[name] ?? String(field.description);
  return 'default' in field ? `${words} Default: ${field.default}.` : words;
}

const OUTPUT_KEYWORDS = ['type', 'enum', 'const', 'required', 'description'];

/** Returns the output schema of a tool, made of the schema of the result: every field at every depth, with its meaning. */
export function publishedOutput(schema: TSchema): JsonSchema {
  return outputOf(schema as Schema) as JsonSchema;
}

function outputOf(schema: Schema): Schema {
  return {
    ...pick(schema, OUTPUT_KEYWORDS),
    ...(schema.items !== undefined && { items: outputOf(schema.items as Schema) }),
    ...(schema.properties !== undefined && { properties: mapFields(schema.properties as Fields, outputOf) }),
  };
}

function pick(schema: Schema, keywords: readonly string[]): Schema {
  return Object.fromEntries(keywords.filter((name) => name in schema).map((name) => [name, schema[name]]));
}

function mapFields(fields: Fields, map: (field: Schema, name: string) => Schema): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(field, name)]));
}
