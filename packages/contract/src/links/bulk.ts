import Type, { type Static } from 'typebox';
import { AppError, toAppError } from '../errors.ts';
import { oneOf } from '../text.ts';
import { validator, validatorIgnoringNull } from '../validate.ts';
import { CreateLinkInput, UpdateLinkInput } from './link.ts';
import { FieldNames, ListedLink, withFields } from './shown-fields.ts';
import { typesOf } from './types-of.ts';

export const BULK_OPS = ['create', 'update', 'delete'] as const;

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
const id = Type.String({ description: 'The link to update or delete.' });

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

const OPERATION_SCHEMAS = [
  Type.Object(
    { op: Type.Literal('create', { description: 'Creates a link.' }), link: CreateLinkInput },
    { additionalProperties: false },
  ),
  Type.Object(
    { op: Type.Literal('update', { description: 'Changes a link.' }), id, link: UpdateLinkInput },
    { additionalProperties: false },
  ),
  Type.Object(
    { op: Type.Literal('delete', { description: 'Deletes a link for good.' }), id },
    { additionalProperties: false },
  ),
];

/** {@link BulkInput} with its operations in full, for the OpenAPI document. */
export const BulkInputInFull = Type.Object(
  {
    operations: Type.Array(Type.Union(OPERATION_SCHEMAS), {
      minItems: 1,
      maxItems: BULK_MAX_OPERATIONS,
      description: `1 to ${BULK_MAX_OPERATIONS} operations, done in order.`,
    }),
    fields,
  },
  { additionalProperties: false },
);

/**
 * The arguments of the tool. Every model reads them with every request, so the fields of `link` have only their types:
 * `create_link` describes them.
 */
export const BulkArguments = Type.Object(
  {
    operations: Type.Array(
      Type.Object({
        op: Type.Unsafe({ type: 'string', enum: BULK_OPS }),
        id: Type.Optional(Type.Unsafe({ type: 'string' })),
        link: Type.Optional(Type.Object(typesOf(CreateLinkInput.properties))),
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

/** A valid operation. */
export type BulkOperation =
  | { op: 'create'; link: CreateLinkInput }
  | { op: 'update'; id: string; link: UpdateLinkInput }
  | { op: 'delete'; id: string };

/** How an operation is checked: over REST as its own request is, over MCP as the arguments of its tool are. */
export interface OperationChecks {
  create(link: unknown): CreateLinkInput;
  update(link: unknown): UpdateLinkInput;
}

const checkCreate = validatorIgnoringNull(CreateLinkInput);

export const REST_CHECKS: OperationChecks = { create: checkCreate, update: validator(UpdateLinkInput) };
/**
 * In a tool, null means that a field is not sent, also `auto_meta` in an update: strict clients send every field that the
 * tool's schema lists.
 */
export const TOOL_CHECKS: OperationChecks = {
  create: checkCreate,
  update: validatorIgnoringNull(UpdateLinkInput, CreateLinkInput),
};

const checkFields = validatorIgnoringNull(OperationFields);

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
    throw new AppError('invalid', 'An operation must be a JSON object with "op".');
  const { op, id, link } = checkFields(operation);
  if (op === 'create') {
    if (id !== undefined) throw new AppError('invalid', '"id" cannot be sent with "op" create; the service sets it.');
    return { op, link: checks.create(neededLink(op, link)) };
  }
  if (op === 'update') return { op, id: needed('id', op, id), link: checks.update(neededLink(op, link)) };
  if (link !== undefined) throw new AppError('invalid', '"link" cannot be sent with "op" delete.');
  return { op, id: needed('id', op, id) };
}

function needed<Value>(name: string, op: string, value: Value | undefined): Value {
  if (value === undefined) throw new AppError('invalid', `"${name}" is required for "op" ${op}.`);
  return value;
}

function neededLink(op: string, link: unknown): object {
  const sent = needed('link', op, link);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new AppError('invalid', `"link" must be an object with fields of the link, for "op" ${op}.`);
  return sent;
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
