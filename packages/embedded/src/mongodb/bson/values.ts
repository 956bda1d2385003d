import { Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { notSupported } from '../errors.ts';

/**
 * A document in memory, with values as `bson` decodes them and each number in its own class; a missing field is
 * `undefined`.
 */
export type Document = { [field: string]: unknown };

/** A number of any supported BSON type, or a JavaScript number of this server. */
export type Numeric = Int32 | Long | Double | number | bigint;

/** The position of each BSON type in MongoDB's comparison order. */
export const ORDER = {
  missing: 3,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  objectId: 35,
  boolean: 40,
  date: 45,
} as const;

/** Returns true for a plain document: a value decoded from, or encoded as, BSON type 3. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns true for int32, int64, double, and JavaScript's number and bigint. */
export function isNumeric(value: unknown): value is Numeric {
  return (
    value instanceof Int32 ||
    value instanceof Double ||
    (value instanceof Long && !(value instanceof Timestamp)) ||
    typeof value === 'number' ||
    typeof value === 'bigint'
  );
}

/** Returns the position of the value's type in MongoDB's order. Throws NotImplemented (238) for types without one. */
export function orderOf(value: unknown): number {
  if (typeof value === 'string') return ORDER.string;
  if (value === undefined) return ORDER.missing;
  if (value === null) return ORDER.null;
  if (typeof value === 'boolean') return ORDER.boolean;
  if (isNumeric(value)) return ORDER.number;
  if (value instanceof Date) return ORDER.date;
  if (Array.isArray(value)) return ORDER.array;
  if (isDocument(value)) return ORDER.object;
  if (value instanceof ObjectId) return ORDER.objectId;
  throw notSupported(`comparing values of type ${typeName(value)}`);
}

const TYPE_NAMES: Record<string, string> = { Int32: 'int', Long: 'long', Double: 'double', ObjectId: 'objectId' };

/** Returns MongoDB's name of the value's type, for error messages. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  const { _bsontype: type } = value as { _bsontype?: string };
  return type === undefined ? 'object' : (TYPE_NAMES[type] ?? type);
}

/** Returns the field's value, or undefined if the document has no own field of that name. */
export function getField(document: Document, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

/** Formats a value for error messages, in the notation of MongoDB's shell. */
export function render(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[ ${value.map(render).join(', ')} ]`;
  if (!isDocument(value)) return String(value);
  const fields = Object.entries(value).map(([name, item]) => `${name}: ${render(item)}`);
  return `{ ${fields.join(', ')} }`;
}
