import type { TSchema } from 'typebox';

/** JSON Schema 2020-12 as it is sent to a client. */
export type JsonSchema = { type: 'object'; [keyword: string]: unknown };

/**
 * What a field of an input means, in the few words that a model needs: every client sends the list of tools to its
 * model with every request, so it must be small. A field that is not here has its schema's own description.
 */
const FIELD_DESCRIPTIONS: Record<string, string> = {
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
  visibility: 'unlisted: not for search engines; private: no redirect.',
  password: 'For visitors; implies password-protected.',
  auto_meta: 'Read missing title and description from the page.',
  days: 'Today included.',
  tz: 'IANA time zone.',
  source: 'Only clicks from this source.',
};

/**
 * The keywords of an input that a client needs. Left out are those for our own validation and documents: clients know
 * no formats of ours, and some refuse patterns with Unicode classes.
 */
const INPUT_KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'default'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'],
]);

type Schema = Record<string, unknown>;

/** The input schema of a tool, from the schema that validates: fields, types, bounds, defaults, what each means. */
export function publishedInput(schema: TSchema): JsonSchema {
  const published = select(schema as Schema, INPUT_KEYWORDS);
  const described = schema as unknown as { properties: Record<string, Schema> };
  const fields = published.properties as Record<string, Schema>;
  for (const [name, field] of Object.entries(fields))
    field.description = FIELD_DESCRIPTIONS[name] ?? described.properties[name]?.description;
  // Typebox requires a field with a default, since it is there after validation; a client need not send it.
  const required = ((published.required ?? []) as string[]).filter((name) => !('default' in fields[name]!));
  if (required.length > 0) published.required = required;
  else delete published.required;
  return published as JsonSchema;
}

/** What is not to be seen in a result itself. */
const RESULT_DESCRIPTIONS: Record<string, string> = {
  clicks: 'May lag seconds.',
};

/**
 * The output schema of a tool, from the schema of the result: its fields, their types, the words of a closed list that
 * the tool's input has not told, and what a result does not show. Lists of objects are described by the names of the
 * objects' fields: the whole would be longer than everything else.
 */
export function publishedOutput(schema: TSchema, input: TSchema): JsonSchema {
  const { properties } = schema as unknown as { properties: Record<string, Schema> };
  const { properties: told } = input as unknown as { properties: Record<string, Schema> };
  const fields = Object.entries(properties).map(([name, field]) => {
    const description = RESULT_DESCRIPTIONS[name];
    return [name, { ...outputField(field, name in told), ...(description !== undefined && { description }) }];
  });
  return { type: 'object', properties: Object.fromEntries(fields), additionalProperties: false };
}

function outputField(field: Schema, told: boolean): Schema {
  if (field.type === 'array') return outputList(field.items as Schema);
  if ('const' in field) return { const: field.const };
  return 'enum' in field && !told ? { enum: field.enum } : { type: field.type };
}

function outputList(items: Schema): Schema {
  if (items.type !== 'object') return { type: 'array', items: { type: items.type } };
  const names = Object.keys(items.properties as object).join(', ');
  return { type: 'array', items: { type: 'object' }, description: `Of {${names}}` };
}

function select(schema: Schema, keywords: ReadonlySet<string>): Schema {
  const selected: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!keywords.has(keyword)) continue;
    if (keyword === 'properties') {
      const fields = Object.entries(value as Record<string, Schema>);
      selected[keyword] = Object.fromEntries(fields.map(([name, field]) => [name, select(field, keywords)]));
    } else {
      selected[keyword] = keyword === 'items' ? select(value as Schema, keywords) : value;
    }
  }
  return selected;
}
