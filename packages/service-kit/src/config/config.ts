import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TObject } from 'typebox';

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
  minimum?: number;
  maximum?: number;
  minLength?: number;
  items?: Property;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, useDefaults: true, allowUnionTypes: true });

/** The formats that a schema may use, with the words for error messages. */
const FORMATS: Record<string, { words: string; test: (text: string) => boolean }> = {
  'http-url': { words: 'an absolute http or https URL', test: (text) => hasScheme(text, ['http:', 'https:']) },
  'http-origin': {
    words: 'an http or https URL without path, query and fragment',
    test: (text) =>
      hasScheme(text, ['http:', 'https:']) && new URL(text).origin === text.replace(/\/$/, '').toLowerCase(),
  },
  host: {
    words: 'an IP address or a host name',
    test: (text) => isIP(text) > 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(text),
  },
  folder: { words: 'a folder that is writable or can be created', test: isWritableFolder },
  file: { words: 'the path of a file that can be read', test: isReadableFile },
  'mongodb-database': {
    words: 'a name of 1 to 63 bytes without spaces and without / \\ . " $ * < > : | ?',
    test: (text) => /^[^\s/\\."$*<>:|?]+$/.test(text) && Buffer.byteLength(text) <= 63,
  },
  'mongodb-url': {
    words: 'a URL that begins with mongodb:// or mongodb+srv://',
    test: (text) => /^mongodb(\+srv)?:\/\/./.test(text),
  },
  'redis-url': {
    words: 'a URL that begins with redis:// or rediss://, with no path except a database number',
    test: isRedisUrl,
  },
  'host-port': {
    words: 'HOST:PORT, or a gRPC target such as dns:///HOST:PORT',
    test: (text) => /^(?:[a-z0-9]+:(?:\/\/\/?)?)?[^\s/,]+:\d{1,5}(?:,[^\s/,]+:\d{1,5})*$/.test(text),
  },
  'pem-certificate': { words: 'a PEM certificate', test: (text) => isReadable(() => new X509Certificate(text)) },
  'pem-private-key': { words: 'a PEM private key', test: (text) => isReadable(() => createPrivateKey(text)) },
  network: {
    words: 'an IP address, or a network such as 10.0.0.0/8',
    test: isNetwork,
  },
};
for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test);

/**
 * Reads the configuration that a schema describes from the environment. Each property is the variable of the same
 * name. Integers, booleans (`true`, `false`, `1`, `0`) and comma-separated lists are parsed. An empty variable counts
 * as not set. A secret (`writeOnly`) may come from the file that `NAME_FILE` names; a line break at its end is removed.
 * Variables that the schema does not know are ignored.
 * @throws {ConfigError} names every variable that is missing or wrong, never a value.
 */
export function loadConfig<S extends TObject>(schema: S, env: Environment = process.env): Static<S> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const unreadable = new Set<string>();
  for (const [name, property] of propertiesOf(schema)) {
    try {
      const text = property.writeOnly ? readSecret(name, env) : env[name];
      if (text !== undefined && text !== '') values[name] = fromText(text, property);
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

function readSecret(name: string, env: Environment): string | undefined {
  const value = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`${name} and ${name}_FILE are both set; set one of them.`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
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
        .filter((item) => item !== '');
    default:
      return text;
  }
}

function nameOf(error: ErrorObject): string {
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
  return `${name}${or} must be ${allowed(property)}.`;
}

function allowed(property: Property): string {
  if (property.enum) return `one of ${property.enum.join(', ')}`;
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

function isRedisUrl(text: string): boolean {
  if (!hasScheme(text, ['redis:', 'rediss:'])) return false;
  const { hostname, pathname, username, password } = new URL(text);
  return hostname !== '' && /^(\/\d*)?$/.test(pathname) && isReadable(() => decodeURIComponent(username + password));
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits === -1 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/**
 * Checks that this process can write to a folder. The schema does not check it, because other processes with the same
 * configuration need not write there.
 * @throws {ConfigError} names the variable if the folder is not writable.
 */
export function requireFolder(name: string, path: string): void {
  if (!isWritableFolder(path)) throw new ConfigError([`${name} must be ${FORMATS.folder!.words}.`]);
}

function isWritableFolder(path: string): boolean {
  let folder = resolve(path);
  // A missing folder will be created in its closest existing parent.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return isReadable(() => accessSync(join(folder, '.'), constants.W_OK | constants.X_OK));
}

function isReadableFile(path: string): boolean {
  return isReadable(() => accessSync(path, constants.R_OK)) && statSync(path).isFile();
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function hasScheme(text: string, schemes: string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}
