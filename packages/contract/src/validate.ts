import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { isTimeZone } from './analytics/analytics.ts';
import {
  ANALYTICS_FIELDS,
  ANALYTICS_PARTS,
  areAnalyticsFields,
  CROSS_PARTS,
  isAnalyticsParts,
  isCross,
  isIsoDate,
  isLanguageFilter,
} from './analytics/analytics-query.ts';
import { AppError } from './errors.ts';
import { areEventTypes, EVENT_TYPES } from './events/event.ts';
import { isDestinationUrl, isHttpsUrl } from './links/destination.ts';
import { hostOfDomain } from './links/domain.ts';
import { isExpiry } from './links/expiry.ts';
import { isHashtag } from './links/hashtags.ts';
import { isReadOnly, Link } from './links/link.ts';
import { areLinkFields } from './links/shown-fields.ts';
import { isReservedSlug } from './links/slug.ts';
import { UNICODE_FORMAT } from './text.ts';
import { timeOfMoment, timeOfRfc3339 } from './time.ts';
import { BROWSERS, DEVICES, isOneOf, OPERATING_SYSTEMS } from './visitors/clients.ts';
import { isCountry, isCountryFilter } from './visitors/countries.ts';

const ajv = new Ajv2020({
  strict: true,
  allErrors: false,
  verbose: true,
  allowUnionTypes: true,
  useDefaults: true,
  // Tests check the schemas. To compile the schema of schemas takes a tenth of a second of each start.
  validateSchema: false,
});
// Mark a text that an empty string clears, and a number that 0 clears, for error messages (`tool-arguments.ts`).
ajv.addKeyword('emptiable');
ajv.addKeyword('zeroEmpties');
ajv.addFormat('slug', (value: string) => !isReservedSlug(value));
ajv.addFormat('destination-url', isDestinationUrl);
ajv.addFormat('optional-destination-url', (value: string) => value === '' || isDestinationUrl(value));
ajv.addFormat('optional-image-url', (value: string) => value === '' || isHttpsUrl(value));
ajv.addFormat('expiry', isExpiry);
ajv.addFormat('hashtag', isHashtag);
ajv.addFormat('domain', (value: string) => hostOfDomain(value) !== null);
ajv.addFormat('host', (value: string) => hostOfDomain(value) !== null);
ajv.addFormat('short-host', (value: string) => value === '' || hostOfDomain(value) !== null);
ajv.addFormat('moment', (value: string) => timeOfMoment(value) !== null);
ajv.addFormat('link-fields', areLinkFields);
ajv.addFormat('event-types', areEventTypes);
ajv.addFormat('iana-time-zone', isTimeZone);
ajv.addFormat('iso-date', isIsoDate);
ajv.addFormat('analytics-parts', isAnalyticsParts);
ajv.addFormat('analytics-fields', areAnalyticsFields);
ajv.addFormat('analytics-cross', isCross);
ajv.addFormat('device', isOneOf(DEVICES));
ajv.addFormat('browser', isOneOf(BROWSERS));
ajv.addFormat('operating-system', isOneOf(OPERATING_SYSTEMS));
ajv.addFormat('country', isCountryFilter);
ajv.addFormat('exact-country', (value: string) => value === 'unknown' || isCountry(value));
ajv.addFormat('rfc3339', (value: string) => timeOfRfc3339(value) !== null);
ajv.addFormat('language', isLanguageFilter);
ajv.addFormat(UNICODE_FORMAT, (value: string) => value.isWellFormed());

/** What each format allows, for error messages. {@link ALLOWED_PATTERN} has the same for patterns, by the field's name. */
const ALLOWED: Record<string, string> = {
  slug: 'a slug that is not a reserved word',
  'destination-url': 'an absolute http or https URL with a host and without user info',
  'optional-destination-url': 'an absolute http or https URL with a host and without user info, or empty',
  'optional-image-url': 'an absolute https URL with a host and without user info, or empty',
  expiry: 'a time such as 2027-01-31T12:00:00Z, at most 100 years ahead, or empty',
  hashtag: '1 to 50 letters, digits, "_" or "-", and joiners such as "·" between letters (counted after lower-casing)',
  'iso-date': 'a date such as 2026-02-28',
  'analytics-parts': `a comma-separated list of ${ANALYTICS_PARTS.join(', ')}, each at most once and without spaces`,
  'analytics-fields': `names separated by commas without spaces, of ${ANALYTICS_FIELDS.join(', ')}`,
  'analytics-cross': `two different ones of ${CROSS_PARTS.join(', ')}, separated by a comma without spaces`,
  device: `one of ${DEVICES.join(', ')}`,
  browser: `one of ${BROWSERS.join(', ')}`,
  'operating-system': `one of ${OPERATING_SYSTEMS.join(', ')}`,
  country: 'a country code of ISO 3166-1 alpha-2 such as GB, or unknown',
  'exact-country': 'a country code of ISO 3166-1 alpha-2 in capital letters such as GB, or unknown',
  rfc3339: 'a time such as 2027-01-31T12:00:00Z',
  language: 'a language code of two letters such as de, or unknown',
  host: 'a host name such as example.com',
  'short-host': 'a host name such as go.example.com, or empty',
  domain: 'a host name alone, such as example.com, which finds the hosts below it too',
  moment: 'a date such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z',
  'link-fields': `field names separated by commas without spaces, of ${Object.keys(Link.properties).join(', ')}`,
  'event-types': `types separated by commas without spaces, of ${EVENT_TYPES.join(', ')}`,
  'iana-time-zone': 'an IANA time zone such as UTC or Europe/Berlin',
  [UNICODE_FORMAT]: 'text without unpaired surrogates',
};
const ALLOWED_PATTERN: Record<string, string> = {
  slug: 'letters, digits, "_" and "-", not beginning with "_" or "-"',
  language: 'two letters such as de',
  color: 'a color such as #1f5fbf, where "#" is sent as "%23" or left out',
  background: 'a color such as #1f5fbf, where "#" is sent as "%23" or left out',
  managed_by: 'letters, digits, "_", "-", "." and "/"',
};

/**
 * Returns a check of a schema. The check returns a typed copy of the value with defaults filled in. It is compiled when
 * it is first used, because to compile all of them takes a tenth of a second at the start of each process.
 * @throws {AppError} `invalid`, from the check: names the field, the value (shortened, never a secret) and what is
 * allowed.
 */
export function validator<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  let check: ValidateFunction | undefined;
  return (value) => {
    check ??= ajv.compile(schema);
    const copy = isRecord(value) ? { ...value } : value;
    if (check(copy)) return copy as Static<Schema>;
    throw new AppError('invalid', explain(check.errors![0]!));
  };
}

/**
 * Compiles a check like {@link validator}, but treats `null` for a known field as not sent, as creations do.
 */
export function validatorIgnoringNull<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const known = (schema as unknown as { properties: object }).properties;
  const check = validator(schema);
  return (value) => {
    if (!isRecord(value)) return check(value);
    const sent = Object.entries(value).filter(([name, field]) => field !== null || !Object.hasOwn(known, name));
    return check(Object.fromEntries(sent));
  };
}

/**
 * Compiles a check like {@link validator} for a parsed query string: integers are read from decimal text, and no
 * parameter may be sent twice.
 */
export function queryValidator<Schema extends TSchema>(schema: Schema): (query: unknown) => Static<Schema> {
  const properties = (schema as unknown as { properties: Record<string, { type?: string }> }).properties;
  const check = validator(schema);
  return (query) => {
    const parameters = Object.entries(isRecord(query) ? query : {}).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]!.type : undefined;
      if (type !== undefined && Array.isArray(value))
        throw new AppError('invalid', `"${name}" must be sent once; you sent it ${value.length} times.`);
      return [name, type === 'integer' && typeof value === 'string' ? numberOf(value) : value];
    });
    return check(Object.fromEntries(parameters));
  };
}

/**
 * Returns the number for decimal text, otherwise the text. A fraction becomes a number only for a better error message.
 * `2.0` stays text: as a number it would pass as an integer.
 */
export function numberOf(text: string): number | string {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return /^-?\d{1,9}\.\d{0,5}[1-9]$/.test(text) ? Number(text) : text;
}

/** Returns the fields of a parsed JSON value, or an empty object if it cannot have fields. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns true for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the one-sentence message for a validation error. */
function explain(error: ErrorObject): string {
  const field = fieldOf(error);
  const parent = error.parentSchema as { format?: string; enum?: string[]; writeOnly?: boolean } & Emptiable;
  const sent = parent.writeOnly || field === 'note' ? '' : `; you sent ${shorten(error.data)}`;
  const name = field === '' ? 'The request' : `"${field}"`;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return `"${join(field, String(params.missingProperty))}" is required.`;
    case 'additionalProperties': {
      const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
      const unknown = shortenName(join(field, String(params.additionalProperty)));
      return known.includes('title') && isReadOnly(String(params.additionalProperty))
        ? `"${unknown}" is read-only and cannot be sent.`
        : `"${unknown}" is not a known field; the known ones are ${known.length ? known.join(', ') : 'none'}.`;
    }
    case 'type':
      return field === ''
        ? `The request must be a JSON ${String(params.type)}.`
        : `${name} must be ${typeNames(parent.zeroEmpties ? 'integer' : params.type)}${formOf(parent)}${sent}.`;
    case 'enum':
      return `${name} must be one of ${(params.allowedValues as string[]).join(', ')}${sent}.`;
    case 'minLength':
    case 'maxLength':
      return `${name} must be ${bounds(error.parentSchema!, 'Length', 'character')}; you sent ${[...String(error.data)].length}.`;
    case 'minimum':
    case 'maximum':
      return `${name} must be between ${error.parentSchema!.minimum} and ${error.parentSchema!.maximum}${sent}.`;
    case 'minItems':
      return `${name} must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}.`;
    case 'minProperties':
      return `${name} must have at least one condition besides "to".`;
    case 'maxItems':
      return `${name} must have at most ${params.limit} items; you sent ${(error.data as unknown[]).length}.`;
    case 'uniqueItems':
      return `${name} must have each item once; you sent ${shorten((error.data as unknown[])[Number(params.j)])} again.`;
    case 'format':
      return `${name} must be ${ALLOWED[String(params.format)] ?? params.format}${sent}${adviceOf(error.data)}.`;
    case 'pattern':
      return `${name} must be ${ALLOWED_PATTERN[field.split('.').at(-1)!] ?? 'text without control characters other than line breaks'}${sent}.`;
    default:
      return `${name} ${error.message ?? 'is not valid'}${sent}.`;
  }
}

/** In a query, `+` is a space: `2027-01-31T12:00:00 01:00`, `Etc/GMT 5`. */
function adviceOf(value: unknown): string {
  const isPlus = typeof value === 'string' && /(?:T[\d:.]+|\/GMT) \d\d?(?::?\d\d)?$/i.test(value);
  return isPlus ? '; in a URL, "+" must be sent as "%2B"' : '';
}

/** What empties a field of a tool, which takes no null. */
interface Emptiable {
  emptiable?: true;
  zeroEmpties?: true;
}

/** Returns which strings a schema allows, if a caller who sent another type may not know. */
function formOf({
  format,
  enum: values,
  emptiable,
  zeroEmpties,
}: { format?: string; enum?: string[] } & Emptiable): string {
  if (zeroEmpties) return ', or 0 to empty it';
  if (values !== undefined) return `, one of ${values.join(', ')}`;
  if (format !== undefined && format !== UNICODE_FORMAT) return `, ${ALLOWED[format]}`;
  return emptiable ? ', or "" to empty it' : '';
}

/** Returns the path of the invalid field, such as `hashtags[3]` for `/hashtags/3`. */
function fieldOf(error: ErrorObject): string {
  return error.instancePath
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}
function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function typeNames(type: unknown): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
    null: 'null',
  };
  const types = Array.isArray(type) ? type : String(type).split(',');
  return types.map((one) => names[one] ?? String(one)).join(' or ');
}

function bounds(schema: Record<string, unknown>, what: 'Length', unit: string): string {
  const min = (schema[`min${what}`] as number | undefined) ?? 0;
  const max = schema[`max${what}`] as number | undefined;
  if (max === undefined) return `at least ${min} ${unit}s long`;
  return min > 0 ? `${min} to ${max} ${unit}s long` : `at most ${max} ${unit}s long`;
}

const SENT_MAX_LENGTH = 60;

/** Returns a value as JSON of at most {@link SENT_MAX_LENGTH} code points; for an array or an object, only its kind. */
function shorten(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isRecord(value)) return 'an object';
  return cut(JSON.stringify(value) ?? 'nothing');
}

/** Returns a name for an error message, without control characters and of at most {@link SENT_MAX_LENGTH} code points. */
export function shortenName(name: string): string {
  return cut(name.replace(/\p{Cc}/gu, '�'));
}

function cut(text: string): string {
  const characters = [...text.toWellFormed()];
  return characters.length <= SENT_MAX_LENGTH
    ? characters.join('')
    : `${characters.slice(0, SENT_MAX_LENGTH - 1).join('')}…`;
}
