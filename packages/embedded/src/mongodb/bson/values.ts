import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';

/**
 * A document in memory. BSON types map so that each keeps its identity: int32 is a JavaScript number, int64 a bigint,
 * double a `Double`, null is null, a missing field is `undefined`, a date is a `Date`; the rest are the classes of `bson`.
 */
export type Document = { [field: string]: unknown };

/** The place of each BSON type in MongoDB's comparison order. A missing value sorts before null. */
export const ORDER = {
  minKey: 1,
  missing: 3,
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  boolean: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbRef: 55,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const;

/** A numeric value of any of BSON's four number types. */
export type Numeric = number | bigint | Double | Decimal128;

/** True for a plain document: what was decoded from, or will be encoded as, BSON type 3. */
export function isDocument(value: unknown): value is Document {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True for int32, int64, double and decimal. */
export function isNumeric(value: unknown): value is Numeric {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Decimal128
  );
}

/** Where the value's type stands in MongoDB's order of types. */
export function orderOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return ORDER.number;
    case 'string':
      return ORDER.string;
    case 'boolean':
      return ORDER.boolean;
    case 'undefined':
      return ORDER.missing;
  }
  if (value === null) return ORDER.null;
  if (isDocument(value)) return ORDER.object;
  if (Array.isArray(value)) return ORDER.array;
  if (value instanceof Double) return ORDER.number;
  if (value instanceof ObjectId) return ORDER.objectId;
  if (value instanceof Date) return ORDER.date;
  if (value instanceof Binary) return ORDER.binary;
  if (value instanceof Decimal128) return ORDER.number;
  if (value instanceof Timestamp) return ORDER.timestamp;
  if (value instanceof BSONRegExp) return ORDER.regex;
  if (value instanceof BSONSymbol) return ORDER.string;
  if (value instanceof Code) return value.scope ? ORDER.codeWithScope : ORDER.code;
  if (value instanceof MinKey) return ORDER.minKey;
  if (value instanceof MaxKey) return ORDER.maxKey;
  if (value instanceof DBRef) return ORDER.dbRef;
  throw new TypeError(`no BSON type for ${Object.prototype.toString.call(value)}`);
}

/** MongoDB's name of the value's type, as `$type` and error messages use it. */
export function typeName(value: unknown): string {
  if (typeof value === 'number') return 'int';
  if (typeof value === 'bigint') return 'long';
  if (value instanceof Double) return 'double';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof BSONSymbol) return 'symbol';
  const order = orderOf(value);
  return TYPE_NAMES[order] ?? 'missing';
}

const TYPE_NAMES: Record<number, string> = {
  [ORDER.minKey]: 'minKey',
  [ORDER.missing]: 'missing',
  [ORDER.null]: 'null',
  [ORDER.string]: 'string',
  [ORDER.object]: 'object',
  [ORDER.array]: 'array',
  [ORDER.binary]: 'binData',
  [ORDER.objectId]: 'objectId',
  [ORDER.boolean]: 'bool',
  [ORDER.date]: 'date',
  [ORDER.timestamp]: 'timestamp',
  [ORDER.regex]: 'regex',
  [ORDER.dbRef]: 'dbPointer',
  [ORDER.code]: 'javascript',
  [ORDER.codeWithScope]: 'javascriptWithScope',
  [ORDER.maxKey]: 'maxKey',
};

/** Sets a field as an own property whatever its name: `__proto__` is data here like any other. */
export function setField(document: Document, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(document, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    document[name] = value;
  }
}

/** The field's value, or undefined when the document itself has no such field. */
export function getField(document: Document, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

/** A short rendering for error messages, in the notation of MongoDB's shell. */
export function render(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(render).join(', ')} ]`;
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${value.toString('hex').toUpperCase()})`;
  if (value instanceof Timestamp) return `Timestamp(${value.high}, ${value.low})`;
  if (value instanceof MinKey) return 'MinKey';
  if (value instanceof MaxKey) return 'MaxKey';
  if (isDocument(value)) {
    const fields = Object.entries(value).map(([name, item]) => `${name}: ${render(item)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return String(value);
}
