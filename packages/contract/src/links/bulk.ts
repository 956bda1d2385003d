import Type, { type Static, type TSchema } from 'typebox';
import { AppError, toAppError } from '../errors.ts';
import { Notice } from '../notice.ts';
import { oneOf } from '../text.ts';
import { validator, validatorIgnoringNull } from '../validate.ts';
import { CreateLinkInput, UpdateLinkInput } from './link.ts';
import { FieldNames, ListedLink, withFields } from './shown-fields.ts';
import { typesOf } from './types-of.ts';
import { checkUpsert, UpsertLinkInput } from './upsert.ts';

export const BULK_OPS = ['create', 'update', 'upsert', 'delete'] as const;

/** The most operations in one request. */
export const BULK_MAX_OPERATIONS = 100;
/** The longest body of `POST /api/v1/links/bulk`, in bytes. */
export const BULK_BODY_MAX_BYTES = 256 * 1024;
/**
 * No operation begins later, so that the last one can end within the time of the request. `auto_meta` may take 3 seconds
 * before.
 */
export const BULK_BEGIN_WITHIN_MS = 3_500;
/** The tool that performs operations. The gateway counts each of them. */
export const BULK_TOOL = 'bulk_edit_links';

const fields = Type.Optional(FieldNames);
const op = oneOf(BULK_OPS, { description: 'What to do.', examples: ['create'] });
const id = Type.String({ description: 'The link to update or delete: its id, slug or short URL.' });

/** Every field that an operation may have. {@link checkOperation} checks which of them belong together. */
const OperationFields = Type.Object(
  { op, id: Type.Optional(id), link: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);

/** The body of `POST /api/v1/links/bulk`. Operations are checked one by one, so that a malformed one stops no other. */
export const BulkInput = Type.Object(
  {
    operations: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: BULK_MAX_OPERATIONS,
      description: `1 to ${BULK_MAX_OPERATIONS} operations, done in order.`,
    }),
    fields,
  },
  { additionalProperties: false },
);
export type BulkInput = Static<typeof BulkInput>;

/** The operations of {@link BULK_OPS}, by the names of their schemas in the OpenAPI document. */
export const BULK_OPERATIONS = {
  CreateOperation: operation('create', 'Creates a link.', { link: CreateLinkInput }),
  UpdateOperation: operation('update', 'Changes a link.', { id, link: UpdateLinkInput }),
  UpsertOperation: operation('upsert', 'Changes the link that has the slug, or creates it.', { link: UpsertLinkInput }),
  DeleteOperation: operation('delete', 'Deletes a link for good.', { id }),
};

function operation<Op extends BulkOperation['op'], Fields extends Record<string, TSchema>>(
  op: Op,
  description: string,
  fields: Fields,
) {
  return Type.Object(
    { op: Type.Literal(op, { description: `Always \`${op}\`.` }), ...fields },
    { additionalProperties: false, description },
  );
}

/** One of {@link BULK_OPERATIONS}. Its `op` says which. */
export const AnyOperation = Type.Unsafe<BulkOperation>({
  oneOf: Object.values(BULK_OPERATIONS),
  discriminator: {
    propertyName: 'op',
    mapping: Object.fromEntries(
      Object.entries(BULK_OPERATIONS).map(([name, { properties }]) => [
        properties.op.const,
        `#/components/schemas/${name}`,
      ]),
    ),
  },
  description: 'One operation.',
});

/** {@link BulkInput} with its operations in full, for the OpenAPI document. */
export const BulkInputInFull = Type.Object(
  {
    operations: Type.Array(AnyOperation, {
      minItems: 1,
      maxItems: BULK_MAX_OPERATIONS,
      description: `1 to ${BULK_MAX_OPERATIONS} operations, done in order.`,
    }),
    fields,
  },
  { additionalProperties: false },
);

/** The fields of a link that the tool lists. It takes every one. */
export const BULK_LINK_FIELDS = [
  ...['destination_url', 'host', 'slug', 'title', 'description', 'hashtags', 'auto_meta'],
] as const;

/**
 * The arguments of the tool. Every model reads them with every request, so it lists the frequent fields of `link` and only their
 * types: `create_link` has all of them.
 */
export const BulkArguments = Type.Object(
  {
    operations: Type.Array(
      Type.Object({
        op: Type.Unsafe({ type: 'string', enum: BULK_OPS }),
        id: Type.Optional(Type.Unsafe({ type: 'string' })),
        link: Type.Optional(Type.Object(typesOf(CreateLinkInput.properties, BULK_LINK_FIELDS))),
      }),
      { minItems: 1, maxItems: BULK_MAX_OPERATIONS, description: 'In order.' },
    ),
    fields,
  },
  { additionalProperties: false },
);

/** The result of one operation: the status and body that its own request would have had. */
export const BulkResult = Type.Object(
  {
    status: Type.Integer({
      description: '201 created, 200 updated, 204 deleted, or the status of an error.',
      examples: [201],
    }),
    link: Type.Optional(ListedLink),
    error: Type.Optional(Type.String({ description: 'Why the operation failed.' })),
  },
  { additionalProperties: false, description: 'The result of one operation.' },
);
export type BulkResult = Static<typeof BulkResult>;

/** The response of `POST /api/v1/links/bulk`. */
export const BulkResults = Type.Object(
  { results: Type.Array(BulkResult, { description: 'One result for each operation, in the same order.' }) },
  { additionalProperties: false, description: 'The results of all operations.' },
);
export type BulkResults = Static<typeof BulkResults>;

/** The result of the tool, which may be cut. */
export const BulkToolResults = Type.Object(
  { ...BulkResults.properties, notice: Notice },
  { additionalProperties: false, description: 'The results of all operations.' },
);
export type BulkToolResults = Static<typeof BulkToolResults>;

/** A valid operation. */
export type BulkOperation =
  | { op: 'create'; link: CreateLinkInput }
  | { op: 'update'; id: string; link: UpdateLinkInput }
  | { op: 'upsert'; link: UpsertLinkInput }
  | { op: 'delete'; id: string };

/** How the link of an operation is checked: over REST as a body, over MCP as the arguments of a tool (`tool-inputs.ts`). */
export interface OperationChecks {
  create(link: object): CreateLinkInput;
  update(link: object): UpdateLinkInput;
  upsert(link: object): UpsertLinkInput;
}

export const REST_CHECKS: OperationChecks = {
  create: validatorIgnoringNull(CreateLinkInput),
  update: validator(UpdateLinkInput),
  upsert: checkUpsert,
};

const checkFields = validatorIgnoringNull(OperationFields);

/** What each operation looks like, for the messages about malformed ones. */
const SHAPES: Record<BulkOperation['op'], string> = {
  create: '{"op":"create","link":{"destination_url":"https://example.com/"}}',
  update: '{"op":"update","id":"…","link":{"title":"New title"}}',
  upsert: '{"op":"upsert","link":{"slug":"sale","destination_url":"https://example.com/"}}',
  delete: '{"op":"delete","id":"…"}',
};

/**
 * Returns each operation, or for a malformed one the error that its own request would get.
 * @throws {AppError} never; errors are returned.
 */
export function checkOperations(operations: readonly unknown[], checks: OperationChecks): (BulkOperation | AppError)[] {
  return operations.map((operation) => {
    try {
      return checkOperation(operation, checks);
    } catch (error) {
      return toAppError(error);
    }
  });
}

function checkOperation(operation: unknown, checks: OperationChecks): BulkOperation {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation))
    throw malformed('An operation must be a JSON object with "op".', undefined);
  const { op, id, link } = fieldsOf(operation);
  if (op === 'create') {
    if (id !== undefined) throw malformed('"id" cannot be sent with "op" create; the service sets it.', op);
    return { op, link: checks.create(neededLink(op, link)) };
  }
  if (op === 'upsert') {
    if (id !== undefined) throw malformed('"id" cannot be sent with "op" upsert; "slug" names the link.', op);
    return { op, link: checks.upsert(neededLink(op, link)) };
  }
  if (op === 'update') return { op, id: needed('id', op, id), link: checks.update(neededLink(op, link)) };
  if (link !== undefined) throw malformed('"link" cannot be sent with "op" delete.', op);
  return { op, id: needed('id', op, id) };
}

function fieldsOf(operation: object): Static<typeof OperationFields> {
  try {
    return checkFields(operation);
  } catch (error) {
    throw malformed((error as AppError).message, (operation as { op?: unknown }).op);
  }
}

function needed<Value>(name: string, op: BulkOperation['op'], value: Value | undefined): Value {
  if (value === undefined) throw malformed(`"${name}" is required for "op" ${op}.`, op);
  return value;
}

function neededLink(op: BulkOperation['op'], link: unknown): object {
  const sent = needed('link', op, link);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw malformed(`"link" must be an object with fields of the link, for "op" ${op}.`, op);
  return sent;
}

/** Returns the error for a malformed operation, with the shape of its `op`, or of each if it has none. */
function malformed(message: string, op: unknown): AppError {
  const shape = BULK_OPS.find((one) => one === op);
  const expected = shape === undefined ? Object.values(SHAPES).join(' or ') : SHAPES[shape];
  return new AppError('invalid', `${message} Expected: ${expected}.`);
}

/** Returns the result of an operation that failed. */
export function failedResult(error: AppError): BulkResult {
  return { status: error.httpStatus, error: error.message };
}

/** Returns the results, with only these fields of each link, or as they are without `fields`. */
export function withLinkFields(results: BulkResult[], fields: string | undefined): BulkResult[] {
  return results.map((result) =>
    result.link === undefined ? result : { ...result, link: withFields([result.link], fields)[0]! },
  );
}
