import { create, type Message } from '@bufbuild/protobuf';
import {
  AppError,
  type CreateLinkInput,
  INTERNAL_MESSAGE,
  Link,
  type LinkList,
  type ListLinksQuery,
  UpdateLinkInput,
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
import { type JsonField, jsonFields } from './json-fields.ts';

const LINK = jsonFields<Link, LinkMessage>(LinkSchema, namesOf(Link));
const NULLABLE = new Set(namesOf(Link).filter((name) => isNullable(Link.properties[name])));
const WRITABLE = jsonFields<Required<UpdateLinkInput>, LinkFields>(LinkFieldsSchema, namesOf(UpdateLinkInput));
const WRITABLE_BY_NAME = new Map(WRITABLE.map((field) => [field.name, field]));

/** A link of the JSON API as a message. */
export function linkToMessage(link: Link): LinkMessage {
  return set(create(LinkSchema), LINK, link);
}

/**
 * The inverse of {@link linkToMessage}: every field is there, null where empty.
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

type Values = Record<string, unknown>;

/** The fields of a creation that are not fields of the link. */
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

/** Returns what was sent; a name that is no field comes back as null, for the validation to refuse it by its name. */
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
