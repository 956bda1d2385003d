import { create } from '@bufbuild/protobuf';
import {
  AppError,
  type CreateLinkInput,
  INTERNAL_MESSAGE,
  type Link,
  type LinkList,
  type ListLinksQuery,
  type UpdateLinkInput,
  type Visibility,
} from '@waymark/contract';
import {
  type CreateLinkRequest,
  CreateLinkRequestSchema,
  type LinkFields,
  LinkFieldsSchema,
  type Link as LinkMessage,
  LinkSchema,
  type ListLinksRequest,
  ListLinksRequestSchema,
  type ListLinksResponse,
  ListLinksResponseSchema,
  type UpdateLinkRequest,
  UpdateLinkRequestSchema,
} from '../gen/links/v1/links_pb.ts';
import { getTime, timeOrNull, timeToMessage } from './time.ts';

/** A link of the JSON API as a message. */
export function linkToMessage(link: Link): LinkMessage {
  const message = create(LinkSchema, {
    id: link.id,
    slug: link.slug,
    shortUrl: link.short_url,
    destinationUrl: link.destination_url,
    hashtags: link.hashtags,
    visibility: link.visibility,
    clicks: BigInt(link.clicks),
    createdAt: timeToMessage(link.created_at),
    updatedAt: timeToMessage(link.updated_at),
  });
  if (link.title !== null) message.title = link.title;
  if (link.description !== null) message.description = link.description;
  if (link.note !== null) message.note = link.note;
  if (link.last_clicked_at !== null) message.lastClickedAt = timeToMessage(link.last_clicked_at);
  return message;
}

/**
 * The inverse of {@link linkToMessage}: every field is there, null where empty.
 * @throws {AppError} `internal` where the message, or a time in it, is missing.
 */
export function linkFromMessage(message: LinkMessage | undefined): Link {
  if (message === undefined)
    throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('the answer holds no link') });
  return {
    id: message.id,
    slug: message.slug,
    short_url: message.shortUrl,
    destination_url: message.destinationUrl,
    title: message.title ?? null,
    description: message.description ?? null,
    note: message.note ?? null,
    hashtags: message.hashtags,
    visibility: message.visibility as Visibility,
    clicks: Number(message.clicks),
    last_clicked_at: timeOrNull(message.lastClickedAt),
    created_at: getTime(message.createdAt, 'created_at'),
    updated_at: getTime(message.updatedAt, 'updated_at'),
  };
}

/** One page of links as a message. */
export function linkListToMessage(list: LinkList): ListLinksResponse {
  return create(ListLinksResponseSchema, {
    links: list.links.map(linkToMessage),
    page: list.page,
    per: list.per,
    total: list.total,
    totalPages: list.total_pages,
  });
}

/** The inverse of {@link linkListToMessage}. */
export function linkListFromMessage(message: ListLinksResponse): LinkList {
  return {
    links: message.links.map(linkFromMessage),
    page: message.page,
    per: message.per,
    total: message.total,
    total_pages: message.totalPages,
  };
}

/** The query of a list as a message. */
export function listLinksRequest(query: ListLinksQuery): ListLinksRequest {
  return create(ListLinksRequestSchema, { ...query, q: query.q ?? '' });
}

/** The query that a message asks for, to be validated; a field that is not set is absent, so that its default counts. */
export function listLinksQuery(request: ListLinksRequest): unknown {
  return {
    ...(request.q !== '' && { q: request.q }),
    ...(request.page !== 0 && { page: request.page }),
    ...(request.per !== 0 && { per: request.per }),
    ...(request.sort !== '' && { sort: request.sort }),
    ...(request.dir !== '' && { dir: request.dir }),
  };
}

/** The input of a creation as a message: sent, sent as null and not sent stay apart. */
export function createLinkRequest(input: CreateLinkInput): CreateLinkRequest {
  return create(CreateLinkRequestSchema, {
    link: fieldsToMessage(input),
    autoMeta: input.auto_meta ?? false,
    sent: { paths: sentFields(input) },
  });
}

/** The inverse of {@link createLinkRequest}: the JSON body that the message stands for, to be validated. */
export function createLinkInput(request: CreateLinkRequest): unknown {
  return fieldsFromMessage(request.link, request.sent?.paths ?? [], { auto_meta: request.autoMeta });
}

/** The change of a link as a message: sent, sent as null and not sent stay apart. */
export function updateLinkRequest(id: string, input: UpdateLinkInput): UpdateLinkRequest {
  return create(UpdateLinkRequestSchema, {
    id,
    link: fieldsToMessage(input),
    updateMask: { paths: sentFields(input) },
  });
}

/** The inverse of {@link updateLinkRequest} but for the id: the JSON body, to be validated. */
export function updateLinkInput(request: UpdateLinkRequest): unknown {
  return fieldsFromMessage(request.link, request.updateMask?.paths ?? [], {});
}

type FieldName = keyof UpdateLinkInput;

/** The writable fields by their JSON names, and how each is read from the message. */
const READ_FIELD: { [Name in FieldName]-?: (fields: LinkFields) => unknown } = {
  slug: (fields) => fields.slug ?? null,
  destination_url: (fields) => fields.destinationUrl ?? null,
  title: (fields) => fields.title ?? null,
  description: (fields) => fields.description ?? null,
  note: (fields) => fields.note ?? null,
  hashtags: (fields) => fields.hashtags,
  visibility: (fields) => fields.visibility ?? null,
  password: (fields) => fields.password ?? null,
};

function fieldsToMessage(input: UpdateLinkInput): LinkFields {
  const fields = create(LinkFieldsSchema);
  if (input.slug !== undefined) fields.slug = input.slug;
  if (input.destination_url !== undefined) fields.destinationUrl = input.destination_url;
  if (typeof input.title === 'string') fields.title = input.title;
  if (typeof input.description === 'string') fields.description = input.description;
  if (typeof input.note === 'string') fields.note = input.note;
  if (input.hashtags !== undefined) fields.hashtags = input.hashtags;
  if (input.visibility !== undefined) fields.visibility = input.visibility;
  if (input.password !== undefined) fields.password = input.password;
  return fields;
}

function sentFields(input: object): string[] {
  return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** A name that is no field comes back as null, for the validation to refuse it by its name. */
function fieldsFromMessage(
  fields: LinkFields | undefined,
  names: readonly string[],
  others: Record<string, unknown>,
): unknown {
  const message = fields ?? create(LinkFieldsSchema);
  return Object.fromEntries(
    names.map((name) => {
      if (Object.hasOwn(others, name)) return [name, others[name]];
      return [name, Object.hasOwn(READ_FIELD, name) ? READ_FIELD[name as FieldName](message) : null];
    }),
  );
}
