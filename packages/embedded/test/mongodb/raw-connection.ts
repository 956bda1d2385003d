import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const OP_MSG = 2013;

/** An OP_MSG with one body section, as bytes. */
export function message(command: Document, flags = 0, requestId = 1): Buffer {
  const body = Buffer.from(BSON.serialize(command));
  return withHeader(Buffer.concat([uint32(flags), Buffer.of(0), body]), requestId);
}

/** A header of OP_MSG before the given bytes. */
export function withHeader(content: Buffer, requestId = 1, operation = OP_MSG): Buffer {
  return Buffer.concat([uint32(16 + content.length), uint32(requestId), uint32(0), uint32(operation), content]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** Opens a connection without the driver. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** The next reply on the connection; rejects when it is closed before. */
export async function readReply(socket: Socket): Promise<Document> {
  const [reply] = await readReplies(socket, 1);
  return reply as Document;
}

/** As many replies as wanted; rejects when the connection is closed before. */
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

/** Sends one command on a connection of its own and gives the reply. */
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
