import { decode } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric, typeName } from '../bson/values.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { deleteMatches } from './delete.ts';
import { insertOne } from './insert.ts';
import { OK } from './ok.ts';
import { arrayField, type Command, flagField, type Request, refuseUnknownFields, requiredDocument } from './request.ts';
import { updateMatches } from './update.ts';
import { isOrdered, runStatements, statementsOf } from './write-errors.ts';

const FIELDS = {
  insert: ['insert', 'document'],
  update: ['update', 'filter', 'updateMods', 'multi', 'upsert'],
  delete: ['delete', 'filter', 'multi'],
} as const;

type Kind = keyof typeof FIELDS;

/** Writes to several collections, in one transaction of the store. */
export const bulkWrite: Command = {
  fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'bypassDocumentValidation'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const { body } = request;
    if (request.database !== 'admin')
      throw new CommandError(13, 'bulkWrite may only be run against the admin database.');
    const namespaces = (arrayField(body, 'nsInfo') ?? []).map(namespaceIn);
    const operations = statementsOf<Buffer>(body.ops, 'bulkWrite', 'ops').map((bytes) => {
      const operation = operationIn(bytes);
      return { operation, ...placed(operation, namespaces) };
    });
    const counts = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
    const results: Document[] = [];
    const errors = runStatements(operations, isOrdered(request), ({ operation, kind, namespace }, idx) => {
      const { counted, ...result } = RUN[kind](request, namespace, operation);
      for (const [name, count] of Object.entries(counted)) counts[name as keyof typeof counts] += count;
      results.push({ ok: OK, idx, ...result });
    });
    const failed = errors.map(({ index, ...error }) => ({ ok: 0, idx: index, ...error, n: 0 }));
    const reported = flagField(body, 'errorsOnly') ? failed : inOrder([...results, ...failed]);
    return {
      cursor: { id: 0n, firstBatch: reported, ns: 'admin.$cmd.bulkWrite' },
      nErrors: errors.length,
      ...counts,
      ok: OK,
    };
  },
};

function inOrder(results: Document[]): Document[] {
  return results.sort((a, b) => (a.idx as number) - (b.idx as number));
}

function namespaceIn(info: unknown): string {
  if (!isDocument(info)) throw typeMismatch(`BSON field 'bulkWrite.nsInfo' has an element of type '${typeName(info)}'`);
  refuseUnknownFields(info, ['ns'], 'bulkWrite.nsInfo');
  if (typeof info.ns !== 'string' || !/^[^.]+\../.test(info.ns))
    throw new CommandError(73, `Invalid namespace specified '${String(info.ns)}'`);
  return info.ns;
}

/** Returns an operation. The document of an insert stays encoded. */
function operationIn(bytes: Buffer): Document {
  const operation = decode(bytes, { raw: true });
  if (!('insert' in operation)) return decode(bytes);
  if (Buffer.isBuffer(operation.document)) return operation;
  throw new CommandError(40414, "BSON field 'bulkWrite.ops.document' is missing but a required field");
}

/** Returns what an operation does, and where. Its first field says both. */
function placed(operation: Document, namespaces: readonly string[]): { kind: Kind; namespace: string } {
  const [kind = ''] = Object.keys(operation);
  if (!Object.hasOwn(FIELDS, kind))
    throw new CommandError(40415, `BSON field 'bulkWrite.ops.${kind}' is an unknown field.`);
  refuseUnknownFields(operation, FIELDS[kind as Kind], 'bulkWrite.ops');
  const at = operation[kind];
  const namespace = isNumeric(at) ? namespaces[toNumber(at)] : undefined;
  if (namespace === undefined) throw badValue(`BulkWrite ops entry ${kind} has an invalid nsInfo index.`);
  return { kind: kind as Kind, namespace };
}

type Counts = Partial<Record<'nInserted' | 'nMatched' | 'nModified' | 'nUpserted' | 'nDeleted', number>>;
type Result = Document & { counted: Counts };

const RUN: Record<Kind, (request: Request, namespace: string, operation: Document) => Result> = {
  insert(request, namespace, operation) {
    const bytes = operation.document as Buffer;
    insertOne(request.view.catalog.getOrCreate(namespace), decode(bytes), bytes);
    return { n: 1, counted: { nInserted: 1 } };
  },
  update(request, namespace, operation) {
    const { updateMods: u, multi, upsert } = operation;
    const q = requiredDocument(operation, 'filter', 'bulkWrite.ops');
    const { matched, modified, upserted } = updateMatches(request, namespace, { q, u, multi, upsert });
    return {
      n: matched + (upserted ? 1 : 0),
      nModified: modified,
      ...(upserted && { upserted: { _id: upserted._id } }),
      counted: { nMatched: matched, nModified: modified, nUpserted: upserted ? 1 : 0 },
    };
  },
  delete(request, namespace, operation) {
    const query = requiredDocument(operation, 'filter', 'bulkWrite.ops');
    const n = deleteMatches(request, namespace, query, flagField(operation, 'multi') ? 0 : 1);
    return { n, counted: { nDeleted: n } };
  },
};
