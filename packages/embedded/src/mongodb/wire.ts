import { decode, encodeReply as encodeBody } from './bson/bson.ts';
import { type Document, isNumeric } from './bson/values.ts';
import { toNumber } from './numbers.ts';

/** The largest accepted message, as in MongoDB. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const MORE_TO_COME = 1 << 1;
/** The receiver must understand the lower half of the flags and may ignore the upper half. */
const REQUIRED_FLAGS = 0xffff;

/** The statements that stay encoded, because what they insert is stored as it arrived. */
const STATEMENTS_AS_RAW = { documents: true, ops: true };

/** A violation of the protocol; the connection is closed. */
export class ProtocolError extends Error {}

/** A command that arrived. */
export interface Message {
  requestId: number;
  /** Whether it has the old format, which only the first greeting may use; the reply has the same format. */
  legacy: boolean;
  /** False if the client wants no reply (an unacknowledged write). */
  wantsReply: boolean;
  command: Document;
}

/** Assembles messages from a stream of chunks. */
export class MessageReader {
  private chunks: Buffer[] = [];
  private size = 0;

  /** The number of bytes that were received but not taken yet. */
  get buffered(): number {
    return this.size;
  }

  /** Adds a received chunk. */
  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** Returns the next complete message, or undefined. Throws ProtocolError for an invalid length. */
  take(): Buffer | undefined {
    if (this.size < HEADER_BYTES) return undefined;
    if ((this.chunks[0] as Buffer).length < HEADER_BYTES) this.join();
    const first = this.chunks[0] as Buffer;
    const length = first.readInt32LE(0);
    if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new ProtocolError(`a message of ${length} bytes`);
    if (this.size < length) return undefined;
    if (first.length < length) this.join();
    const bytes = this.chunks[0] as Buffer;
    const message = bytes.subarray(0, length);
    this.size -= length;
    if (bytes.length === length) this.chunks.shift();
    else this.chunks[0] = bytes.subarray(length);
    return message;
  }

  private join(): void {
    this.chunks = [Buffer.concat(this.chunks)];
  }
}

/** Parses a message. Throws ProtocolError, or CommandError 22 for invalid BSON. */
export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const operation = bytes.readInt32LE(12);
  if (operation === OP_MSG) return parseOpMsg(bytes, requestId);
  if (operation === OP_QUERY) return parseOpQuery(bytes, requestId);
  throw new ProtocolError(`operation ${operation} is not supported`);
}

function parseOpMsg(bytes: Buffer, requestId: number): Message {
  if (bytes.length < HEADER_BYTES + 4 + 1 + 5) throw new ProtocolError('a message that is too short');
  const flags = bytes.readUInt32LE(HEADER_BYTES);
  if (flags & REQUIRED_FLAGS & ~MORE_TO_COME) throw new ProtocolError(`unknown flags ${flags}`);
  const end = bytes.length;
  let command: Document | undefined;
  const sequences: [name: string, documents: Buffer[]][] = [];
  for (let at = HEADER_BYTES + 4; at < end; ) {
    const kind = bytes[at];
    at += 1;
    if (at + 4 > end) throw new ProtocolError('a section is cut off');
    const size = bytes.readInt32LE(at);
    if (size < 5 || at + size > end) throw new ProtocolError('a section with a wrong length');
    const section = bytes.subarray(at, at + size);
    if (kind === 0 && command === undefined) command = decode(section, { fieldsAsRaw: STATEMENTS_AS_RAW });
    else if (kind === 1) sequences.push(parseSequence(section));
    else throw new ProtocolError(`section of kind ${kind}`);
    at += size;
  }
  if (!command) throw new ProtocolError('a message without a body');
  for (const [name, documents] of sequences) {
    if (Object.hasOwn(command, name)) throw new ProtocolError(`the field ${name} twice`);
    command[name] = name in STATEMENTS_AS_RAW ? documents : documents.map((document) => decode(document));
  }
  return { requestId, legacy: false, wantsReply: (flags & MORE_TO_COME) === 0, command };
}

function parseSequence(section: Buffer): [string, Buffer[]] {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new ProtocolError('a section without a name');
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const size = at + 4 <= section.length ? section.readInt32LE(at) : 0;
    if (size < 5 || at + size > section.length) throw new ProtocolError('a document with a wrong length');
    documents.push(section.subarray(at, at + size));
    at += size;
  }
  return [section.toString('utf8', 4, nameEnd), documents];
}

function parseOpQuery(bytes: Buffer, requestId: number): Message {
  const nameEnd = bytes.indexOf(0, 20);
  if (nameEnd < 0 || nameEnd + 13 > bytes.length) throw new ProtocolError('a query that is cut off');
  const namespace = bytes.toString('utf8', 20, nameEnd);
  if (!namespace.endsWith('.$cmd')) throw new ProtocolError('a legacy query');
  const at = nameEnd + 9;
  const size = bytes.readInt32LE(at);
  if (size < 5 || at + size > bytes.length) throw new ProtocolError('a query with a wrong length');
  const command = decode(bytes.subarray(at, at + size));
  return {
    requestId,
    legacy: true,
    wantsReply: true,
    command: { ...command, $db: namespace.slice(0, -'.$cmd'.length) },
  };
}

/** Encodes the reply to a message. */
export function encodeReply(message: Message, reply: Document): Buffer {
  const body = encodeBody(reply);
  if (!message.legacy) return withHeader(message, OP_MSG, Buffer.alloc(5), body);
  const prefix = Buffer.alloc(20);
  prefix.writeInt32LE(1, 16); // number of documents
  return withHeader(message, OP_REPLY, prefix, body);
}

let lastRequestId = 0;

function withHeader({ requestId }: Message, operation: number, prefix: Buffer, body: Buffer): Buffer {
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + prefix.length + body.length, 0);
  header.writeInt32LE(lastRequestId, 4);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(operation, 12);
  return Buffer.concat([header, prefix, body]);
}

/** Returns the client's time limit in milliseconds, or undefined for none. */
export function timeLimitOf(command: Document): number | undefined {
  const { maxTimeMS } = command;
  return isNumeric(maxTimeMS) && toNumber(maxTimeMS) > 0 ? toNumber(maxTimeMS) : undefined;
}
