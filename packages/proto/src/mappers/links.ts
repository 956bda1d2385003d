import { create } from '@bufbuild/protobuf';
import {
  type BulkOperation,
  type BulkResult,
  type CreateLinkInput,
  type HashtagList,
  Link,
  type LinkList,
  ListLinksQuery,
  noticeOf,
  UpdateLinkInput,
  type UpsertLinkInput,
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
import { jsonFields, jsonFromMessage, namesOf, nullableNamesOf, setFields } from './json-fields.ts';

const LINK = jsonFields<Link, LinkMessage>(LinkSchema, namesOf(Link));
const NULLABLE = nullableNamesOf(Link);
const WRITABLE = jsonFields<Required<UpdateLinkInput>, LinkFields>(LinkFieldsSchema, namesOf(UpdateLinkInput));
const LIST_QUERY = jsonFields<Required<Omit<ListLinksQuery, 'fields'>>, ListLinksRequest>(
  ListLinksRequestSchema,
  (Object.keys(ListLinksQuery.properties) as (keyof ListLinksQuery)[]).filter((name) => name !== 'fields'),
);
const WRITABLE_BY_NAME = new Map(WRITABLE.map((field) => [field.name, field]));

/** Converts a link of the JSON API to a message. */
export function linkToMessage(link: Link): LinkMessage {
  return setFields(create(LinkSchema), LINK, link);
}

/**
 * Converts a message back to a link (inverse of {@link linkToMessage}). Every field is present; an empty one is null.
 * @throws {AppError} `internal` if the message, or a field that is never null, is missing.
 */
export function linkFromMessage(message: LinkMessage | undefined): Link {
  return jsonFromMessage(message, LINK, NULLABLE, 'the link') as Link;
}

/** Converts a page of links to a message. */
export function linkListToMessage(list: LinkList): ListLinksResponse {
  return create(ListLinksResponseSchema, {
    links: list.links.map(linkToMessage),
    page: list.page,
    per: list.per,
    total: list.total,
    totalPages: list.total_pages,
    ...(list.notice !== undefined && { notice: list.notice }),
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
    ...noticeOf([message.notice]),
  };
}

/**
 * Converts a validated query, or the filters of one, to a message. The response always has all fields, so `fields` is
 * not sent.
 */
export function listLinksRequest(query: Partial<ListLinksQuery>): ListLinksRequest {
  return setFields(create(ListLinksRequestSchema), LIST_QUERY, query);
}

/** Returns the unvalidated query of a message. Fields that are not set are absent, so that they get defaults. */
export function listLinksQuery(request: ListLinksRequest): unknown {
  const values = request as unknown as Values;
  const sent = LIST_QUERY.filter(({ localName }) => values[localName] !== '' && values[localName] !== 0);
  return Object.fromEntries(sent.map(({ name, localName }) => [name, values[localName]]));
}

/** Converts hashtags to a message. */
export function hashtagListToMessage({ hashtags, notice }: HashtagList): ListHashtagsResponse {
  return create(ListHashtagsResponseSchema, {
    hashtags: hashtags.map(({ hashtag, links, clicks }) => ({ hashtag, links: BigInt(links), clicks: BigInt(clicks) })),
    ...(notice !== undefined && { notice }),
  });
}

/** Converts a message back to the hashtags that {@link hashtagListToMessage} got. */
export function hashtagListFromMessage({ hashtags, notice }: ListHashtagsResponse): HashtagList {
  return {
    hashtags: hashtags.map(({ hashtag, links, clicks }) => ({ hashtag, links: Number(links), clicks: Number(clicks) })),
    ...noticeOf([notice]),
  };
}

/** Converts the input of a creation or an upsert to a message that distinguishes a value, null and not sent. */
export function createLinkRequest(input: CreateLinkInput | UpsertLinkInput): CreateLinkRequest {
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
  if (one.op === 'upsert') return { case: 'upsert', value: createLinkRequest(one.link) };
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
      case 'upsert':
        return { op: 'upsert', link: createLinkInput(operation.value) };
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

function fieldsToMessage(input: UpdateLinkInput | UpsertLinkInput): LinkFields {
  return setFields(create(LinkFieldsSchema), WRITABLE, input);
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
