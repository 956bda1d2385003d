import { deserialize, onDemand, serialize, type Timestamp } from 'bson';
import { CommandError } from '../errors.ts';
import type { Document } from './values.ts';

/** Numbers keep their BSON type, so that they are encoded again unchanged. UTF-8 is not validated, as in MongoDB. */
const DECODING = { promoteValues: false, bsonRegExp: true, validation: { utf8: false } };

/** Which documents in a document stay encoded: those in these arrays, or all. */
interface Raw {
  fieldsAsRaw?: Record<string, boolean>;
  raw?: true;
}

/** Decodes a document. Throws InvalidBSON (22). */
export function decode(bytes: Uint8Array, raw?: Raw): Document {
  try {
    return deserialize(bytes, raw === undefined ? DECODING : { ...DECODING, ...raw });
  } catch (error) {
    throw new CommandError(22, `Invalid BSON: ${(error as Error).message}`);
  }
}

/** Encodes a document and omits fields that are `undefined`. Throws BSONObjectTooLarge (10334). */
export function encode(document: Document): Buffer {
  let bytes: Uint8Array;
  try {
    bytes = serialize(document, { ignoreUndefined: true });
  } catch (error) {
    // `bson` encodes into a buffer of 17 MiB.
    if (error instanceof RangeError) throw tooLarge('more than 17 MiB');
    throw error;
  }
  const encoded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (encoded.readInt32LE(0) !== encoded.length) throw tooLarge(encoded.readInt32LE(0));
  return encoded;
}

/** The largest document, as in MongoDB. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Returns the error for a document above {@link MAX_DOCUMENT_BYTES}. */
export function tooLarge(size: number | string): CommandError {
  return new CommandError(
    10334,
    `BSONObj size: ${size} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`,
  );
}

/** Returns an encoded document with only some of its fields, at most `most`, without decoding any value. */
export function pickFields(
  bytes: Buffer,
  isWanted: (name: string) => boolean,
  most = Number.POSITIVE_INFINITY,
): Buffer {
  const picked: Buffer[] = [];
  for (const [, nameStart, nameLength, start, length] of onDemand.parseToElements(bytes)) {
    const name = bytes.toString('utf8', nameStart, nameStart + nameLength);
    if (isWanted(name)) picked.push(bytes.subarray(nameStart - 1, start + length));
    if (picked.length === most) break;
  }
  return encodedOf(picked);
}

/** Decodes only some fields of a document. */
export function decodeFields(bytes: Buffer, fields: ReadonlySet<string>): Document {
  return decode(pickFields(bytes, (name) => fields.has(name), fields.size));
}

/** The `cursor` part of a reply, with its documents as they are stored. */
export class CursorBatch {
  readonly name: 'firstBatch' | 'nextBatch';
  readonly documents: readonly Buffer[];
  readonly id: bigint;
  readonly ns: string;
  readonly atClusterTime: Timestamp | undefined;

  constructor(
    name: 'firstBatch' | 'nextBatch',
    documents: readonly Buffer[],
    id: bigint,
    ns: string,
    atClusterTime?: Timestamp,
  ) {
    this.name = name;
    this.documents = documents;
    this.id = id;
    this.ns = ns;
    this.atClusterTime = atClusterTime;
  }
}

/** Encodes a reply; copies the documents of a `CursorBatch` in its field `cursor` without decoding them. */
export function encodeReply(reply: Document): Buffer {
  const { cursor, ...rest } = reply;
  if (!(cursor instanceof CursorBatch)) return encode(reply);
  const { name, documents, id, ns, atClusterTime } = cursor;
  const batch = encodedOf(documents.flatMap((document, at) => [elementStart(DOCUMENT, String(at)), document]));
  const encoded = encodedOf([elementStart(ARRAY, name), batch, elementsOf(encode({ id, ns, atClusterTime }))]);
  return encodedOf([elementStart(DOCUMENT, 'cursor'), encoded, elementsOf(encode(rest))]);
}

const DOCUMENT = 3;
const ARRAY = 4;

/** Returns the type and name that precede an encoded value. */
function elementStart(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`);
}

/** Returns all elements of an encoded document. */
function elementsOf(bytes: Buffer): Buffer {
  return bytes.subarray(4, -1);
}

/** Returns a document of encoded elements. */
function encodedOf(elements: readonly Buffer[]): Buffer {
  const length = elements.reduce((total, element) => total + element.length, 5);
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeInt32LE(length, 0);
  for (const element of elements) {
    bytes.set(element, at);
    at += element.length;
  }
  bytes[at] = 0;
  return bytes;
}
