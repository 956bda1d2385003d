import type { Static, TSchema } from 'typebox';
import { AppError } from '../errors.ts';
import { isRecord, numberOf, shortenName, validator } from '../validate.ts';

/**
 * Returns the `arguments` of a `tools/call` as a value: some models send them as a JSON text, or as an empty one. Any
 * other text is returned as it is, to be refused.
 */
export function argumentsOf(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  if (sent.trim() === '') return {};
  try {
    return JSON.parse(sent);
  } catch {
    return sent;
  }
}

type Field = {
  zeroEmpties?: true;
  type?: string | string[];
  enum?: string[];
  format?: string;
  properties?: Fields;
  items?: Field;
};
type Fields = Record<string, Field>;

/** The formats of lists in a text, whose items models separate by a comma and a space. */
const COMMA_SEPARATED: ReadonlySet<string | undefined> = new Set([
  ...['link-fields', 'analytics-parts', 'analytics-fields', 'analytics-cross', 'event-types'],
]);

/**
 * Compiles a schema into the check of a tool's arguments, with the messages of REST. In addition:
 * - Null for a known field means that it was not sent, at any depth: OpenAI's strict mode sends every argument. The known fields are
 *   those of `listed`. So no message offers null.
 * - Forms that models confuse are understood, at any depth: a list or an object as a JSON text, a number or a boolean as
 *   text, a boolean for one of the texts `true` and `false`, a list for a text with commas, spaces after its commas.
 * - The message for a missing or unknown field ends with `example`, which the schema must accept.
 */
export function toolValidator<Schema extends TSchema>(
  schema: Schema,
  example: object,
  listed: TSchema = schema,
): (args: object) => Static<Schema> {
  const { properties, required = [] } = schema as unknown as { properties: Fields; required?: string[] };
  const known = (listed as unknown as { properties: object }).properties;
  const fields = withoutNulls(properties);
  const check = validator({ ...schema, properties: fields } as Schema);
  const needed = required.filter((name) => !('default' in properties[name]!));
  return (args) => {
    const sent = meant(args, fields, known);
    try {
      return check(sent);
    } catch (error) {
      const isMissing = needed.some((name) => !Object.hasOwn(sent, name));
      const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name));
      if (!isMissing && unknown === undefined) throw error;
      const words = [(error as AppError).message];
      if (isMissing && unknown !== undefined) words.push(`"${shortenName(unknown)}" is not a known field.`);
      words.push(`Expected: ${JSON.stringify(example)}${isMissing ? others(fields, example) : ''}.`);
      throw new AppError('invalid', words.join(' '));
    }
  };
}

/** Returns the names of the fields that an example does not have, to end a sentence. */
function others(fields: object, example: object): string {
  const names = Object.keys(fields).filter((name) => !Object.hasOwn(example, name));
  return names.length === 0 ? '' : `, and any of ${names.join(', ')}`;
}

/** Returns the arguments that a model meant, without the known ones that are null. */
function meant(args: object, fields: Fields, known: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args)
      .filter(([name, value]) => value !== null || !Object.hasOwn(known, name))
      .map(([name, value]) => [name, Object.hasOwn(fields, name) ? understood(fields[name]!, value) : value]),
  );
}

/** Returns the value of a field that a model meant. What is not understood is returned as it is, to be refused. */
function understood(field: Field, sent: unknown): unknown {
  if (field.zeroEmpties) return wholeNumberOf(sent) === 0 ? null : wholeNumberOf(sent);
  const { type, enum: texts, format, properties, items } = field;
  const value = properties !== undefined || type === 'array' || type === 'object' ? withoutJsonText(sent) : sent;
  if (properties !== undefined && isRecord(value)) return meant(value, properties, properties);
  if (type === 'array' && Array.isArray(value)) return items ? value.map((item) => understood(items, item)) : value;
  if (COMMA_SEPARATED.has(format) && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.join();
  if (typeof value === 'boolean') return texts?.includes(String(value)) ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (type === 'integer') return wholeNumberOf(value);
  if (type === 'boolean') return /^true$/i.test(value) || (/^false$/i.test(value) ? false : value);
  if (!COMMA_SEPARATED.has(format)) return value;
  return value
    .split(',')
    .map((item) => item.trim())
    .join();
}

function wholeNumberOf(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  const number = numberOf(sent.trim().replace(/\.0+$/, ''));
  return typeof number === 'number' ? number : sent;
}

/** Returns the list or the object that a JSON text has, or what was sent. */
export function withoutJsonText(sent: unknown): unknown {
  if (typeof sent !== 'string' || !/^\s*[[{]/.test(sent)) return sent;
  const parsed = argumentsOf(sent);
  return typeof parsed === 'object' ? parsed : sent;
}

/** Returns the fields without null, which a tool never gets. An empty text empties a text, and 0 a number. */
function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutNull(field)]));
}

function withoutNull(field: Field): Field {
  if (field.properties !== undefined) return { ...field, properties: withoutNulls(field.properties) };
  if (!Array.isArray(field.type)) return field;
  // Null stays for 0, which means it.
  if (field.type.includes('integer')) return { ...field, zeroEmpties: true };
  const type = field.type.filter((one) => one !== 'null').join();
  return { ...field, type, ...(type === 'string' && { emptiable: true }) } as Field;
}
