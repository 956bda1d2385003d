import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TObject } from 'typebox';
import { FORMATS, type Format, isKeyPair, isWritableFolder } from './formats.ts';

/** The configuration error of a service: one line for each variable that is missing or wrong. It holds no values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** One row in the table of a service's variables. */
export interface ConfigRow {
  name: string;
  /** `integer`, `boolean`, `string` or `list`. */
  type: string;
  /** The text to write in the environment; null if there is no default. */
  default: string | null;
  required: boolean;
  /** True if the value may also come from the file that `NAME_FILE` names. */
  secret: boolean;
  description: string;
}

export type Environment = Record<string, string | undefined>;

interface Property {
  type?: string;
  default?: unknown;
  description?: string;
  writeOnly?: boolean;
  enum?: unknown[];
  format?: string;
  accepts?: Format;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  items?: Property;
}

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  verbose: true,
  useDefaults: true,
  allowUnionTypes: true,
  // Tests check the schemas. To compile the schema of schemas takes a tenth of a second of each start.
  validateSchema: false,
});

for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test);
// `accepts: Format` in a schema: what the library of one service accepts.
ajv.addKeyword({
  keyword: 'accepts',
  type: 'string',
  schemaType: 'object',
  errors: false,
  validate: ({ test }: Format, text: string) => test(text),
});
// `keyPair: [CERTIFICATE, KEY]` in the schema of an object: the key is that of the certificate.
ajv.addKeyword({
  keyword: 'keyPair',
  type: 'object',
  schemaType: 'array',
  errors: false,
  validate: ([certificate, key]: [string, string], values: Record<string, string>) =>
    isKeyPair(values[certificate], values[key]),
});

/**
 * Reads the configuration that a schema describes from the environment. Each property is the variable of the same
 * name. White space around it is ignored; an empty variable counts as not set. Integers, booleans (`true`, `false`, `1`,
 * `0`) and comma-separated lists are parsed. A secret (`writeOnly`) may come from the file that `NAME_FILE` names.
 * Variables that the schema does not know are ignored.
 * @throws {ConfigError} names every variable that is missing or wrong, never a value.
 */
export function loadConfig<S extends TObject>(schema: S, env: Environment = process.env): Static<S> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const unreadable = new Set<string>();
  for (const [name, property] of propertiesOf(schema)) {
    try {
      const text = property.writeOnly ? readSecret(name, env) : textOf(name, env);
      if (text !== undefined) values[name] = fromText(text, property);
    } catch (error) {
      problems.push((error as Error).message);
      unreadable.add(name);
    }
  }
  const check = ajv.compile(schema);
  if (!check(values)) {
    for (const error of check.errors!) {
      const name = nameOf(error);
      if (!unreadable.has(name)) problems.push(explain(name, error, schema));
    }
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].sort());
  return values as Static<S>;
}

/** Returns the table of a service's variables for its documentation, in the order of the schema. */
export function configTable(schema: TObject): ConfigRow[] {
  const required = new Set(schema.required as string[] | undefined);
  return propertiesOf(schema).map(([name, property]) => ({
    name,
    type: property.type === 'array' ? 'list' : (property.type ?? 'string'),
    default: property.default === undefined ? null : String(property.default),
    required: required.has(name) && property.default === undefined,
    secret: property.writeOnly === true,
    description: property.description ?? '',
  }));
}

function propertiesOf(schema: TObject): [string, Property][] {
  return Object.entries(schema.properties) as [string, Property][];
}

function textOf(name: string, env: Environment): string | undefined {
  return env[name]?.trim() || undefined;
}

function readSecret(name: string, env: Environment): string | undefined {
  const value = textOf(name, env);
  const file = textOf(`${name}_FILE`, env);
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`${name} and ${name}_FILE are both set; set one of them.`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new Error(`${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Parses a text as the type of its property. Returns the text itself if it does not parse: the schema rejects it. */
function fromText(text: string, property: Property): unknown {
  switch (property.type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      return text === 'false' || text === '0' ? false : text;
    case 'array':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map((item) => inOneSpelling(item, property.items?.format));
    default:
      return inOneSpelling(text, property.format);
  }
}

function inOneSpelling(text: string, format = ''): string {
  const { test, normalize } = FORMATS[format] ?? {};
  return normalize && test?.(text) ? normalize(text) : text;
}

function nameOf(error: ErrorObject): string {
  if (error.keyword === 'keyPair') return (error.schema as [string, string])[1];
  return error.keyword === 'required' || error.keyword === 'dependentRequired'
    ? String((error.params as { missingProperty: string }).missingProperty)
    : error.instancePath.split('/')[1]!;
}

function explain(name: string, error: ErrorObject, schema: TObject): string {
  const property = (schema.properties as Record<string, Property>)[name] ?? {};
  const or = property.writeOnly ? ` (or ${name}_FILE)` : '';
  if (error.keyword === 'required') return `${name}${or} is not set; it must be ${allowed(property)}.`;
  if (error.keyword === 'dependentRequired') {
    return `${name}${or} is not set, but ${(error.params as { property: string }).property} requires it.`;
  }
  if (error.keyword === 'keyPair') return `${name}${or} must be the key of ${(error.schema as [string, string])[0]}.`;
  return `${name}${or} must be ${allowed(property)}.`;
}

function allowed(property: Property): string {
  if (property.enum) return `one of ${property.enum.join(', ')}`;
  if (property.accepts) return property.accepts.words;
  if (property.format !== undefined) return FORMATS[property.format]?.words ?? property.format;
  switch (property.type) {
    case 'integer':
      return property.maximum === undefined
        ? `a whole number of at least ${property.minimum ?? 0}`
        : `a whole number from ${property.minimum ?? 0} to ${property.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a comma-separated list${property.items ? `, each ${allowed(property.items)}` : ''}`;
    default:
      return property.minLength === undefined || property.minLength <= 1
        ? 'text'
        : `text of at least ${property.minLength} characters`;
  }
}

/**
 * Checks that this process can write to a folder. The schema does not check it, because other processes with the same
 * configuration need not write there.
 * @throws {ConfigError} names the variable if the folder is not writable.
 */
export function requireFolder(name: string, path: string): void {
  if (!isWritableFolder(path)) throw new ConfigError([`${name} must be ${FORMATS.folder!.words}.`]);
}
