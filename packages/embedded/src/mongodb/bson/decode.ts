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
import { CommandError } from '../errors.ts';
import { type Document, setField } from './values.ts';

const MAX_DEPTH = 200;

const invalid = (what: string): CommandError => new CommandError(22, `Invalid BSON: ${what}`);

/**
 * Decodes a document into the types of `values.ts`, exactly: encoding the result gives the same bytes (except that the
 * deprecated type undefined becomes null, and that integer-like field names come first, as in any JavaScript object).
 * With `fields`, other top-level fields are stepped over without being decoded. Throws InvalidBSON (22).
 */
export function decodeDocument(bytes: Buffer, fields?: ReadonlySet<string>): Document {
  return new Decoder(bytes).document(0, bytes.length, fields, 0);
}

/**
 * Decodes a command, leaving the members of its array `rawField` (an insert's `documents`) as undecoded bytes.
 */
export function decodeCommand(bytes: Buffer, rawField: string): Document {
  const decoder = new Decoder(bytes);
  const command: Document = {};
  for (const element of decoder.elements(0, bytes.length)) {
    if (element.name === rawField && element.type === 0x04) {
      const documents: Buffer[] = [];
      for (const member of decoder.elements(element.start, element.end)) {
        if (member.type !== 0x03) {
          throw new CommandError(
            14,
            `BSON field 'insert.documents.${member.name}' is the wrong type, expected 'object'`,
          );
        }
        documents.push(bytes.subarray(member.start, member.end));
      }
      command[rawField] = documents;
    } else {
      setField(command, element.name, decoder.value(element.type, element.start, element.end, 1));
    }
  }
  return command;
}

interface FieldName {
  name: string;
  encoded: Buffer;
}

const encodedNames = new WeakMap<ReadonlySet<string>, FieldName[]>();

function namesOf(fields: ReadonlySet<string>): FieldName[] {
  let names = encodedNames.get(fields);
  if (!names || names.length !== fields.size) {
    names = [...fields].map((name) => ({ name, encoded: Buffer.from(name) }));
    encodedNames.set(fields, names);
  }
  return names;
}

interface Element {
  name: string;
  type: number;
  /** Where the value begins and ends in the bytes; for a document or array, its own length prefix included. */
  start: number;
  end: number;
}

class Decoder {
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  document(start: number, limit: number, fields: ReadonlySet<string> | undefined, depth: number): Document {
    const { bytes } = this;
    const end = this.boundsOf(start, limit);
    if (depth > MAX_DEPTH) throw invalid(`nested deeper than ${MAX_DEPTH} levels`);
    const document: Document = {};
    const wanted = fields && namesOf(fields);
    let missing = fields?.size ?? -1;
    for (let at = start + 4; at < end - 1; ) {
      const type = bytes[at] as number;
      const nameEnd = this.cstringEnd(at + 1, end);
      const valueStart = nameEnd + 1;
      const valueEnd = valueStart + this.sizeOf(type, valueStart, end);
      if (valueEnd > end - 1) throw invalid('a value reaches past its document');
      const name = wanted ? this.nameAmong(wanted, at + 1, nameEnd) : this.text(at + 1, nameEnd);
      if (name !== undefined) {
        setField(document, name, this.value(type, valueStart, valueEnd, depth + 1));
        missing -= 1;
        if (missing === 0) break;
      }
      at = valueEnd;
    }
    return document;
  }

  *elements(start: number, limit: number): Generator<Element> {
    const end = this.boundsOf(start, limit);
    for (let at = start + 4; at < end - 1; ) {
      const type = this.bytes[at] as number;
      const nameEnd = this.cstringEnd(at + 1, end);
      const valueStart = nameEnd + 1;
      const valueEnd = valueStart + this.sizeOf(type, valueStart, end);
      if (valueEnd > end - 1) throw invalid('a value reaches past its document');
      yield { name: this.text(at + 1, nameEnd), type, start: valueStart, end: valueEnd };
      at = valueEnd;
    }
  }

  value(type: number, at: number, end: number, depth: number): unknown {
    const { bytes } = this;
    switch (type) {
      case 0x01:
        return new Double(bytes.readDoubleLE(at));
      case 0x02:
        return this.string(at, end);
      case 0x03:
        return this.document(at, end, undefined, depth);
      case 0x04:
        return this.array(at, end, depth);
      case 0x05:
        return this.binary(at, end);
      case 0x06:
      case 0x0a:
        return null;
      case 0x07:
        return new ObjectId(Uint8Array.prototype.slice.call(bytes, at, at + 12));
      case 0x08:
        return bytes[at] === 1;
      case 0x09:
        return this.date(at);
      case 0x0b: {
        const patternEnd = this.cstringEnd(at, end);
        return new BSONRegExp(this.text(at, patternEnd), this.text(patternEnd + 1, end - 1));
      }
      case 0x0c:
        return new DBRef(
          this.string(at, end - 12),
          new ObjectId(Uint8Array.prototype.slice.call(bytes, end - 12, end)),
        );
      case 0x0d:
        return new Code(this.string(at, end));
      case 0x0e:
        return new BSONSymbol(this.string(at, end));
      case 0x0f: {
        const codeEnd = at + 8 + bytes.readInt32LE(at + 4);
        return new Code(this.string(at + 4, codeEnd), this.document(codeEnd, end, undefined, depth));
      }
      case 0x10:
        return bytes.readInt32LE(at);
      case 0x11:
        return new Timestamp(bytes.readBigUInt64LE(at));
      case 0x12:
        return bytes.readBigInt64LE(at);
      case 0x13:
        return new Decimal128(Uint8Array.prototype.slice.call(bytes, at, at + 16));
      case 0xff:
        return new MinKey();
      default:
        return new MaxKey(); // 0x7f: sizeOf refused every other type
    }
  }

  /** Which of the names stands there: without making a string of each name that is passed over. */
  private nameAmong(names: readonly FieldName[], start: number, end: number): string | undefined {
    const { bytes } = this;
    for (const { name, encoded } of names) {
      if (encoded.length !== end - start) continue;
      let at = 0;
      while (at < encoded.length && bytes[start + at] === encoded[at]) at += 1;
      if (at === encoded.length) return name;
    }
    return undefined;
  }

  private array(start: number, limit: number, depth: number): unknown[] {
    const { bytes } = this;
    const end = this.boundsOf(start, limit);
    if (depth > MAX_DEPTH) throw invalid(`nested deeper than ${MAX_DEPTH} levels`);
    const items: unknown[] = [];
    for (let at = start + 4; at < end - 1; ) {
      const type = bytes[at] as number;
      const valueStart = this.cstringEnd(at + 1, end) + 1;
      const valueEnd = valueStart + this.sizeOf(type, valueStart, end);
      if (valueEnd > end - 1) throw invalid('a value reaches past its array');
      items.push(this.value(type, valueStart, valueEnd, depth + 1));
      at = valueEnd;
    }
    return items;
  }

  private date(at: number): Date {
    const date = new Date(Number(this.bytes.readBigInt64LE(at)));
    if (Number.isNaN(date.getTime())) throw invalid('a date is outside the years -271821 to 275760');
    return date;
  }

  private binary(at: number, end: number): Binary {
    const { bytes } = this;
    const subType = bytes[at + 4] as number;
    // Subtype 2 (deprecated) repeats the length inside; the constructor of Binary wants the payload alone.
    return new Binary(Uint8Array.prototype.slice.call(bytes, at + (subType === 2 ? 9 : 5), end), subType);
  }

  private string(at: number, end: number): string {
    const length = this.bytes.readInt32LE(at);
    if (length < 1 || at + 4 + length > end) throw invalid('a string has a wrong length');
    return this.text(at + 4, at + 3 + length);
  }

  private text(start: number, end: number): string {
    const { bytes } = this;
    let bits = 0;
    for (let at = start; at < end; at += 1) bits |= bytes[at] as number;
    return bits < 0x80 ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end);
  }

  private cstringEnd(start: number, limit: number): number {
    const { bytes } = this;
    for (let at = start; at < limit; at += 1) if (bytes[at] === 0) return at;
    throw invalid('a name does not end');
  }

  private boundsOf(start: number, limit: number): number {
    if (start + 5 > limit) throw invalid('a document is cut off');
    const end = start + this.bytes.readInt32LE(start);
    if (end < start + 5 || end > limit || this.bytes[end - 1] !== 0) throw invalid('a document has a wrong length');
    return end;
  }

  /** How many bytes a value takes, so that it can be stepped over. */
  private sizeOf(type: number, at: number, limit: number): number {
    const prefix = (fixed: number): number => {
      if (at + 4 > limit) throw invalid('a value is cut off');
      const length = this.bytes.readInt32LE(at);
      if (length < 0) throw invalid('a value has a negative length');
      return length + fixed;
    };
    switch (type) {
      case 0x01:
      case 0x09:
      case 0x11:
      case 0x12:
        return 8;
      case 0x02:
      case 0x0d:
      case 0x0e:
        return prefix(4);
      case 0x03:
      case 0x04:
      case 0x0f:
        return prefix(0);
      case 0x05:
        return prefix(5);
      case 0x06:
      case 0x0a:
      case 0xff:
      case 0x7f:
        return 0;
      case 0x07:
        return 12;
      case 0x08:
        return 1;
      case 0x0b: {
        const patternEnd = this.cstringEnd(at, limit);
        return this.cstringEnd(patternEnd + 1, limit) + 1 - at;
      }
      case 0x0c:
        return prefix(16);
      case 0x10:
        return 4;
      case 0x13:
        return 16;
      default:
        throw invalid(`unknown type 0x${type.toString(16)}`);
    }
  }
}
