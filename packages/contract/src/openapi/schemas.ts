import { Account, KeyRestriction, Person, SCOPES } from '../accounts/account.ts';
import { ACTIONS, ROLES } from '../accounts/action.ts';
import { AccountKey, AccountKeys, NewKey, RotateKeyInput } from '../accounts/key.ts';
import {
  AddPasskeyInput,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PasskeySignInInput,
  Passkeys,
} from '../accounts/passkey.ts';
import {
  CreateRestrictedKeyInput,
  NewRestrictedKey,
  RestrictedKey,
  RestrictedKeys,
} from '../accounts/restricted-key.ts';
import {
  CreateSessionInput,
  Session,
  SessionAccount,
  SessionAccounts,
  SwitchSessionInput,
} from '../accounts/session.ts';
import { Analytics } from '../analytics/analytics.ts';
import { TOP_BY } from '../analytics/analytics-query.ts';
import { RawClick } from '../clicks/raw-click.ts';
import { AccountEvent, EventList } from '../events/event.ts';
import { AddHostInput, Host, Hosts, UpdateHostInput } from '../hosts/host.ts';
import { ImportAnswer, ImportPreview } from '../jobs/import.ts';
import { Job, JobList } from '../jobs/job.ts';
import { JobChange, JobFilter, JobInput } from '../jobs/job-input.ts';
import { AutoMeta } from '../links/auto-meta.ts';
import { AnyOperation, BULK_OPERATIONS, BulkInputInFull, BulkResult, BulkResults } from '../links/bulk.ts';
import { HashtagList } from '../links/hashtag-list.ts';
import { CreateLinkInput, Link, UpdateLinkInput, VISIBILITIES } from '../links/link.ts';
import { LinkList } from '../links/link-list.ts';
import { Rule } from '../links/rules.ts';
import { SavedFilter, SavedFilterQuery, SavedFilters, SaveFilterInput } from '../links/saved-filter.ts';
import { ListedLink } from '../links/shown-fields.ts';
import { UpsertLinkInput } from '../links/upsert.ts';
import { oneOf } from '../text.ts';
import {
  CreateWebhookInput,
  Deliveries,
  Delivery,
  NewWebhook,
  ReplayInput,
  UpdateWebhookInput,
  Webhook,
  WebhookClicks,
  WebhookEvent,
  Webhooks,
} from '../webhooks/webhook.ts';
import { WEBHOOK_TYPES } from '../webhooks/webhook-types.ts';
import { FORMAT_PATTERNS } from './format-patterns.ts';

/** A JSON object of the document. */
export type Json = Record<string, unknown>;

/**
 * Sets of values that more than one schema has. Generators name a set that is not named after its schema and property,
 * and `AccountKey.scope` would get the name of `Account.key_scope`.
 */
const NAMED_VALUES = {
  KeyScope: oneOf(SCOPES, { description: 'What a key may see.' }),
  KeyAction: oneOf(ACTIONS, { description: 'What a restricted key may be allowed to do.' }),
  Role: oneOf(ROLES, { description: 'What a person may do in an account.' }),
  Visibility: oneOf(VISIBILITIES, { description: 'Who can see and follow a link.' }),
  WebhookType: oneOf(WEBHOOK_TYPES, { description: 'A type of event, or a group of them.' }),
  TopBy: oneOf(TOP_BY, { description: 'What the top links lead by.' }),
};

/** The named schemas of the document. */
const NAMED = {
  ...NAMED_VALUES,
  Account,
  KeyRestriction,
  Person,
  AccountKey,
  AccountKeys,
  NewKey,
  RotateKeyInput,
  RestrictedKey,
  RestrictedKeys,
  CreateRestrictedKeyInput,
  NewRestrictedKey,
  Passkey,
  Passkeys,
  PasskeyCreationOptions,
  AddPasskeyInput,
  PasskeyRequestOptions,
  PasskeySignInInput,
  CreateSessionInput,
  Session,
  SessionAccount,
  SessionAccounts,
  SwitchSessionInput,
  Rule,
  Link,
  LinkList,
  ListedLink,
  CreateLinkInput,
  UpdateLinkInput,
  UpsertLinkInput,
  BulkInput: BulkInputInFull,
  BulkOperation: AnyOperation,
  ...BULK_OPERATIONS,
  BulkResult,
  BulkResults,
  Job,
  JobList,
  JobFilter,
  JobChange,
  JobInput,
  ImportPreview,
  ImportAnswer,
  HashtagList,
  AutoMeta,
  SavedFilterQuery,
  SavedFilter,
  SavedFilters,
  SaveFilterInput,
  AccountEvent,
  EventList,
  Host,
  Hosts,
  AddHostInput,
  UpdateHostInput,
  Webhook,
  Webhooks,
  NewWebhook,
  CreateWebhookInput,
  UpdateWebhookInput,
  ReplayInput,
  Delivery,
  Deliveries,
  WebhookEvent,
  WebhookClicks,
  Analytics,
  Click: RawClick,
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
      schema: withReferences(rest),
    };
  });
}

/** Returns a plain JSON copy of a schema. */
export function toJson(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** Moves defaults into the descriptions: a client would send them, and generators make such a property required. */
function withDefaultsInWords(schema: Json): Json {
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties as Record<string, Json>).map(([name, property]) => {
    const { default: value, ...rest } = property;
    if (value === undefined) return [name, property];
    return [name, { ...rest, description: `${String(rest.description)} Default: \`${String(value)}\`.` }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Returns a copy in which named schemas, other than that of the name `own`, are references. */
function withReferences(schema: unknown, own?: string): Json {
  const names = new Map(
    Object.entries(NAMED)
      .filter(([name]) => name !== own)
      .map(([name, named]) => [JSON.stringify(named), name as SchemaName]),
  );
  const replace = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(replace);
    const name = names.get(JSON.stringify(value));
    if (name !== undefined) return schemaRef(name);
    const values = nameOfValues(value as Json);
    if (values !== undefined && values !== own) {
      const { type: _type, enum: _values, ...rest } = value as Json;
      return { ...schemaRef(values), ...rest };
    }
    return forGenerators(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)])));
  };
  return replace(toJson(schema)) as Json;
}

/** Adds the pattern of the schema's format, and removes `writeOnly`: generators make such a property optional. */
function forGenerators({ writeOnly: _, ...schema }: Json): Json {
  const pattern = FORMAT_PATTERNS[String(schema.format)];
  return pattern === undefined ? schema : { ...schema, pattern };
}

/** Returns the name of the schema's values, if they have one. */
function nameOfValues(schema: Json): keyof typeof NAMED_VALUES | undefined {
  const values = JSON.stringify(schema.enum);
  const names = Object.keys(NAMED_VALUES) as (keyof typeof NAMED_VALUES)[];
  return names.find((name) => JSON.stringify((NAMED_VALUES[name] as unknown as Json).enum) === values);
}
