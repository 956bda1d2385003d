import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Binary, BSON, type Document } from 'mongodb';

const OP_MSG = 2013;

/** Encodes an OP_MSG with one body section. */
export function message(command: Document, flags = 0, requestId = 1): Buffer {
  const body = Buffer.from(BSON.serialize(command));
  return withHeader(Buffer.concat([uint32(flags), Buffer.of(0), body]), requestId);
}

/** Prepends a message header to the given bytes. */
export function withHeader(content: Buffer, requestId = 1, operation = OP_MSG): Buffer {
  return Buffer.concat([uint32(16 + content.length), uint32(requestId), uint32(0), uint32(operation), content]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** Opens a connection without the driver, and logs in as the user of the URL if it has one. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  if (username) await logIn(socket, decodeURIComponent(username), decodeURIComponent(password));
  return socket;
}

/** Caches the slow key derivation, as drivers do. */
const saltedPasswords = new Map<string, Buffer>();

/** Performs the client's part of SCRAM-SHA-256. */
async function logIn(socket: Socket, user: string, password: string): Promise<void> {
  const clientFirst = `n=${user},r=nonce`;
  const first = await ask(socket, {
    saslStart: 1,
    mechanism: 'SCRAM-SHA-256',
    payload: new Binary(Buffer.from(`n,,${clientFirst}`)),
    $db: 'admin',
  });
  const serverFirst = textOf(first);
  const [, nonce, salt, iterations] = /^r=(.+),s=(.+),i=(\d+)$/.exec(serverFirst)!;
  const key = `${password} ${salt}`;
  const salted =
    saltedPasswords.get(key) ?? pbkdf2Sync(password, Buffer.from(salt!, 'base64'), Number(iterations), 32, 'sha256');
  saltedPasswords.set(key, salted);
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest();
  const withoutProof = `c=biws,r=${nonce}`;
  const signature = createHmac('sha256', storedKey).update(`${clientFirst},${serverFirst},${withoutProof}`).digest();
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ signature[at]!)).toString('base64');
  const payload = new Binary(Buffer.from(`${withoutProof},p=${proof}`));
  const last = await ask(socket, { saslContinue: 1, conversationId: first.conversationId, payload, $db: 'admin' });
  if (last.ok !== 1) throw new Error(last.errmsg);
}

/** Sends one command and returns the reply. */
export function ask(socket: Socket, command: Document): Promise<Document> {
  const reply = readReply(socket);
  socket.write(message(command));
  return reply;
}

function textOf({ payload }: Document): string {
  return Buffer.from((payload as Binary).value()).toString();
}

/** Returns the next reply on the connection; rejects if the connection closes first. */
export async function readReply(socket: Socket): Promise<Document> {
  const [reply] = await readReplies(socket, 1);
  return reply as Document;
}

/** Returns the next `count` replies; rejects if the connection closes first. */
export async function readReplies(socket: Socket, count: number): Promise<Document[]> {
  const replies: Document[] = [];
  let bytes = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const finish = (result: () => void) => {
      socket.off('data', onData);
      socket.off('close', onClose);
      result();
    };
    const onClose = () => finish(() => reject(new Error('the connection was closed')));
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
        replies.push(BSON.deserialize(bytes.subarray(21, bytes.readInt32LE(0))));
        bytes = bytes.subarray(bytes.readInt32LE(0));
      }
      if (replies.length >= count) finish(() => resolve(replies));
    };
    socket.on('data', onData);
    socket.on('close', onClose);
  });
}

/** Sends one command on a separate connection and returns the reply. */
export async function sendRaw(url: string, command: Document): Promise<Document> {
  const socket = await open(url);
  try {
    const reply = readReply(socket);
    socket.write(message(command));
    return await reply;
  } finally {
    socket.destroy();
  }
}
