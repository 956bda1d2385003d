import type { TSchema } from 'typebox';
import { ANALYTICS_PARTS } from '../analytics/analytics-query.ts';

/** A JSON Schema 2020-12 that is sent to clients. */
export type JsonSchema = { type: 'object'; [keyword: string]: unknown };

type Schema = Record<string, unknown>;
type Fields = Record<string, Schema>;

/**
 * Short descriptions of arguments. A client sends the input schemas of all tools to its model with every request, so
 * each word costs tokens. A field that is not listed keeps the description of its schema. The name of a tool may come
 * before that of its field. `update_link` describes only what it has of its own: its other fields are those of
 * `create_link`, as its description says.
 */
const ARGUMENT_DESCRIPTIONS: Record<string, string> = {
  id: 'Id, slug or short URL.',
  'update_link.id': 'Id, slug or short URL.',
  'get_job.id': 'From edit_links.',
  'undo_job.id': 'From edit_links.',
  q: 'Words that must all occur; #tag; a short URL. No operators.',
  page: '',
  per: '',
  sort: '',
  dir: '',
  hashtag: 'One tag.',
  domain: 'Host or below.',
  host: 'Short host; "" for none.',
  'list_links.host': 'Short host, or default.',
  'get_analytics.host': 'Short host, or default.',
  created_before: 'Date or RFC 3339.',
  created_after: 'Then or later.',
  expired: 'By now.',
  last_clicked_before: 'Or never.',
  fields: 'Only these and id, like slug,clicks.',
  'get_analytics.fields': 'Only these, like devices.',
  health: 'Of its URL.',
  duplicates: 'Only shared destinations.',
  destination_url: 'http or https URL.',
  'list_links.destination_url': 'Exactly.',
  slug: 'Letters, digits, _ and -.',
  title: 'Title.',
  description: 'Description.',
  note: 'Not for visitors.',
  hashtags: 'Each 1-50 letters, digits, _ or -.',
  'update_link.hashtags': 'Replaces all.',
  visibility: 'unlisted: not for search engines; private: no redirect. The last two need a Full Access key.',
  password: 'Implies password-protected. Needs a Full Access key.',
  expires_at: 'RFC 3339; "" for never.',
  expired_url: 'Where visitors go then.',
  archived: 'Not listed; still redirects.',
  social_title: 'In link previews.',
  social_description: 'Likewise.',
  social_image_url: 'Likewise; https.',
  'list_links.archived': 'any includes them.',
  'list_links.visibility': 'Last two: Full Access key.',
  rules:
    'At most 20, as JSON: [{to, device, os, browser, country: lists; language, from, until, share: percent}]. The first that fits decides.',
  max_clicks: 'Then it expires; 0: no limit.',
  redirect_code: '301, 302, 307 or 308.',
  managed_by: 'Owner tool.',
  auto_meta: 'Read missing title and description from the page.',
  days: 'With today; else 30.',
  from: 'First day, like 2026-02-28.',
  to: 'Last day.',
  tz: 'IANA time zone.',
  source: 'As in sources.',
  link_id: 'Id, slug or short URL.',
  device: 'As in devices.',
  country: 'Like DE, or unknown.',
  language: 'Like de.',
  utm_campaign: 'As in utm_campaigns.',
  utm_medium: 'Likewise.',
  utm_content: 'Likewise.',
  utm_term: 'Likewise.',
  browser: 'Like Firefox.',
  os: 'Like Android.',
  after: 'next, or an event id.',
  types: 'Like link.created.',
  'list_events.link_id': 'Link.',
  limit: '',
  size: 'Pixels.',
  include: `Further parts: ${ANALYTICS_PARTS.join()}.`,
  cross: 'Clicks by two, like source,country: day or any filter but link_id.',
  top: 'Of top_links; else 10.',
  kind: 'delete is for good.',
  dry_run: 'Only count.',
  top_by: 'The last two need include=previous.',
};

/**
 * The input keywords that every client accepts. Gemini's converter rejects `additionalProperties: false` and patterns
 * with Unicode classes. OpenAI's strict mode rejects `default` and unknown formats. `minLength` and `minItems` would tell
 * a model only that nothing is not a value, and few texts reach their `maxLength`. The server still validates all of them.
 */
const INPUT_KEYWORDS = ['enum', 'minimum', 'maximum', 'maxItems'];

/** Lists of objects that are published as JSON texts, which every tool understands: their schemas would be too long. */
const JSON_TEXTS = ['rules'];

/** Returns the published input schema of a tool, derived from the schema that validates its arguments. */
export function publishedInput(schema: TSchema, tool: string): JsonSchema {
  return inputOf(schema as Schema, tool) as JsonSchema;
}

function inputOf(schema: Schema, tool: string, name = ''): Schema {
  if (JSON_TEXTS.includes(name)) return { type: 'string' };
  const published: Schema = {
    type: withoutNull(schema.type),
    ...(tool !== 'update_link' && withoutNumbers(pick(schema, INPUT_KEYWORDS))),
    ...(tool !== 'update_link' && isNullableInteger(schema) && { minimum: 0 }),
  };
  if (schema.items !== undefined) published.items = inputOf(schema.items as Schema, tool);
  if (schema.properties === undefined) return published;
  const properties = schema.properties as Fields;
  published.properties = mapFields(properties, (field, name) => ({
    ...inputOf(field, tool, name),
    ...('description' in field && isDescribed(name, tool) && { description: argumentDescription(field, name, tool) }),
  }));
  // Typebox marks a field with a default as required, because it is set after validation. A client may omit it.
  const required = ((schema.required ?? []) as string[]).filter((name) => !('default' in properties[name]!));
  if (required.length > 0) published.required = required;
  return published;
}

/** Gemini's converter rejects an enumeration of numbers. Its description lists them. */
function withoutNumbers({ enum: values, ...keywords }: Schema): Schema {
  return Array.isArray(values) && typeof values[0] === 'string' ? { enum: values, ...keywords } : keywords;
}

/** Tools take 0 for null. */
function isNullableInteger({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('integer');
}

/** Returns the type without `null`. Tools treat null as not sent, so it is not published. */
function withoutNull(type: unknown): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** The fields of `update_link` are described and bounded once, in `create_link`. */
function isDescribed(name: string, tool: string): boolean {
  return tool !== 'update_link' || Object.hasOwn(ARGUMENT_DESCRIPTIONS, `${tool}.${name}`);
}

function argumentDescription(field: Schema, name: string, tool: string): string {
  const words = ARGUMENT_DESCRIPTIONS[`${tool}.${name}`] ?? ARGUMENT_DESCRIPTIONS[name] ?? String(field.description);
  return 'default' in field ? `${words} Default: ${field.default}.`.trimStart() : words;
}

const OUTPUT_KEYWORDS = ['type', 'enum', 'const', 'required', 'description'];

/** Returns the published output schema of a tool: every field of the result, at every depth, with its description. */
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
