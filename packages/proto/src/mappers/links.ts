import { create, type Message } from '@bufbuild/protobuf';
import {
  AppError,
  type BulkOperation,
  type BulkResult,
  type CreateLinkInput,
  type HashtagList,
  INTERNAL_MESSAGE,
  Link,
  type LinkList,
  ListLinksQuery,
  UpdateLinkInput,
} from '@waymark/contract';
import {
  type BulkEditLinksRequest,
  BulkEditLinksRequestSchema,
  type BulkEditLinksResponse,
  BulkEditLinksResponseSchema,
  type BulkOperation as BulkOperationMessage,
  BulkOperationSchema,
  type CreateLinkRequest,
  CreateLinkRequestSchema,
  DeleteLinkRequestSchema,
  type LinkFields,
  LinkFieldsSchema,
  type Link as LinkMessage,
  LinkSchema,
  type ListHashtagsResponse,
  ListHashtagsResponseSchema,
  type ListLinksRequest,
  ListLinksRequestSchema,
  type ListLinksResponse,
  ListLinksResponseSchema,
  type UpdateLinkRequest,
  UpdateLinkRequestSchema,
} from '../gen/links/v1/links_pb.ts';
import { type JsonField, jsonFields } from './json-fields.ts';

const LINK = jsonFields<Link, LinkMessage>(LinkSchema, namesOf(Link));
const NULLABLE = new Set(namesOf(Link).filter((name) => isNullable(Link.properties[name])));
const WRITABLE = jsonFields<Required<UpdateLinkInput>, LinkFields>(LinkFieldsSchema, namesOf(UpdateLinkInput));
const LIST_QUERY = jsonFields<Required<Omit<ListLinksQuery, 'fields'>>, ListLinksRequest>(
  ListLinksRequestSchema,
  (Object.keys(ListLinksQuery.properties) as (keyof ListLinksQuery)[]).filter((name) => name !== 'fields'),
);
const WRITABLE_BY_NAME = new Map(WRITABLE.map((field) => [field.name, field]));

/** Converts a link of the JSON API to a message. */
export function linkToMessage(link: Link): LinkMessage {
  return set(create(LinkSchema), LINK, link);
}

/**
 * Converts a message back to a link (inverse of {@link linkToMessage}). Every field is present; an empty one is null.
 * @throws {AppError} `internal` if the message, or a field that is never null, is missing.
 */
export function linkFromMessage(message: LinkMessage | undefined): Link {
  if (message === undefined) throw missing('the link');
  const values = message as unknown as Values;
  const link: Values = {};
  for (const { name, localName, toJson } of LINK) {
    const value = values[localName];
    if (value === undefined && !NULLABLE.has(name as keyof Link)) throw missing(`"${name}"`);
    link[name] = value === undefined ? null : toJson(value);
  }
  return link as Link;
}

/** Converts a page of links to a message. */
export function linkListToMessage(list: LinkList): ListLinksResponse {
  return create(ListLinksResponseSchema, {
    links: list.links.map(linkToMessage),
    page: list.page,
    per: list.per,
    total: list.total,
    totalPages: list.total_pages,
  });
}

/** Converts a message back to the page of links that {@link linkListToMessage} got. */
export function linkListFromMessage(message: ListLinksResponse): LinkList {
  return {
    links: message.links.map(linkFromMessage),
    page: message.page,
    per: message.per,
    total: message.total,
    total_pages: message.totalPages,
  };
}

/** Converts a validated query to a message. The response always has all fields, so `fields` is not sent. */
export function listLinksRequest(query: ListLinksQuery): ListLinksRequest {
  return set(create(ListLinksRequestSchema), LIST_QUERY, query);
}

/** Returns the unvalidated query of a message. Fields that are not set are absent, so that they get defaults. */
export function listLinksQuery(request: ListLinksRequest): unknown {
  const values = request as unknown as Values;
  const sent = LIST_QUERY.filter(({ localName }) => values[localName] !== '' && values[localName] !== 0);
  return Object.fromEntries(sent.map(({ name, localName }) => [name, values[localName]]));
}

/** Converts hashtags to a message. */
export function hashtagListToMessage({ hashtags }: HashtagList): ListHashtagsResponse {
  return create(ListHashtagsResponseSchema, {
    hashtags: hashtags.map(({ hashtag, links, clicks }) => ({ hashtag, links: BigInt(links), clicks: BigInt(clicks) })),
  });
}

/** Converts a message back to the hashtags that {@link hashtagListToMessage} got. */
export function hashtagListFromMessage({ hashtags }: ListHashtagsResponse): HashtagList {
  return {
    hashtags: hashtags.map(({ hashtag, links, clicks }) => ({ hashtag, links: Number(links), clicks: Number(clicks) })),
  };
}

/** Converts the input of a creation to a message that distinguishes a value, null and not sent. */
export function createLinkRequest(input: CreateLinkInput): CreateLinkRequest {
  return create(CreateLinkRequestSchema, {
    link: fieldsToMessage(input),
    autoMeta: input.auto_meta ?? false,
    sent: { paths: sentFields(input) },
  });
}

/** Converts a message back to the unvalidated JSON body (inverse of {@link createLinkRequest}). */
export function createLinkInput(request: CreateLinkRequest): unknown {
  return fieldsFromMessage(request.link, request.sent?.paths ?? [], { auto_meta: request.autoMeta });
}

/** Converts the input of an update to a message that distinguishes a value, null and not sent. */
export function updateLinkRequest(id: string, input: UpdateLinkInput): UpdateLinkRequest {
  return create(UpdateLinkRequestSchema, {
    id,
    link: fieldsToMessage(input),
    updateMask: { paths: sentFields(input) },
  });
}

/** Converts a message back to the unvalidated JSON body, without the id (inverse of {@link updateLinkRequest}). */
export function updateLinkInput(request: UpdateLinkRequest): unknown {
  return fieldsFromMessage(request.link, request.updateMask?.paths ?? [], {});
}

/** Converts validated operations to a message. */
export function bulkEditLinksRequest(operations: readonly BulkOperation[]): BulkEditLinksRequest {
  return create(BulkEditLinksRequestSchema, {
    operations: operations.map((one) => create(BulkOperationSchema, { operation: operationMessage(one) })),
  });
}

function operationMessage(one: BulkOperation): BulkOperationMessage['operation'] {
  if (one.op === 'create') return { case: 'create', value: createLinkRequest(one.link) };
  if (one.op === 'update') return { case: 'update', value: updateLinkRequest(one.id, one.link) };
  return { case: 'delete', value: create(DeleteLinkRequestSchema, { id: one.id }) };
}

/** Converts a message back to unvalidated operations (inverse of {@link bulkEditLinksRequest}). */
export function bulkOperations(request: BulkEditLinksRequest): unknown[] {
  return request.operations.map(({ operation }) => {
    switch (operation.case) {
      case 'create':
        return { op: 'create', link: createLinkInput(operation.value) };
      case 'update':
        return { op: 'update', id: operation.value.id, link: updateLinkInput(operation.value) };
      case 'delete':
        return { op: 'delete', id: operation.value.id };
      default:
        return {};
    }
  });
}

/** Converts the results of operations to a message. */
export function bulkResultsToMessage(results: readonly BulkResult[]): BulkEditLinksResponse {
  return create(BulkEditLinksResponseSchema, {
    results: results.map(({ status, link, error }) => ({
      status,
      ...(link !== undefined && { link: linkToMessage(link) }),
      error: error ?? '',
    })),
  });
}

/** Converts a message back to the results of operations (inverse of {@link bulkResultsToMessage}). */
export function bulkResultsFromMessage(message: BulkEditLinksResponse): BulkResult[] {
  return message.results.map(({ status, link, error }) => ({
    status,
    ...(link !== undefined && { link: linkFromMessage(link) }),
    ...(error !== '' && { error }),
  }));
}

type Values = Record<string, unknown>;

/** The fields of a creation that are not fields of the link itself. */
type Instructions = Record<Exclude<keyof CreateLinkInput, keyof UpdateLinkInput>, unknown>;

function fieldsToMessage(input: UpdateLinkInput): LinkFields {
  return set(create(LinkFieldsSchema), WRITABLE, input);
}

/** Sets the fields that have a value. */
function set<Shape extends Message>(message: Shape, fields: readonly JsonField[], json: object): Shape {
  for (const { name, localName, toMessage } of fields) {
    const value = (json as Values)[name];
    if (value !== null && value !== undefined) (message as unknown as Values)[localName] = toMessage(value);
  }
  return message;
}

function sentFields(input: object): string[] {
  return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Returns the fields that were sent. An unknown name becomes null, so that validation rejects it by name. */
function fieldsFromMessage(
  message: LinkFields | undefined,
  names: readonly string[],
  instructions: Instructions | Record<string, never>,
): unknown {
  const values = (message ?? create(LinkFieldsSchema)) as unknown as Values;
  return Object.fromEntries(
    names.map((name) => {
      if (Object.hasOwn(instructions, name)) return [name, (instructions as Values)[name]];
      const field = WRITABLE_BY_NAME.get(name);
      const value = field === undefined ? undefined : values[field.localName];
      return [name, value === undefined ? null : field!.toJson(value)];
    }),
  );
}

function namesOf<Properties extends object>(schema: { properties: Properties }): (keyof Properties & string)[] {
  return Object.keys(schema.properties) as (keyof Properties & string)[];
}

/** True if the schema allows null. */
function isNullable(schema: object): boolean {
  const { type } = schema as { type?: unknown };
  return Array.isArray(type) && type.includes('null');
}

function missing(what: string): AppError {
  return new AppError('internal', INTERNAL_MESSAGE, { cause: new Error(`the response lacks ${what}`) });
}
