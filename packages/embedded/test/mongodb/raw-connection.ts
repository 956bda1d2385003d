import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const OP_MSG = 2013;

/** Encodes an OP_MSG with one body section. */
export function message(command: Document, flags = 0): Buffer {
  return withHeader(Buffer.concat([uint32(flags), Buffer.of(0), Buffer.from(BSON.serialize(command))]));
}

/** Prepends a message header to the given bytes. */
export function withHeader(content: Buffer, operation = OP_MSG): Buffer {
  return Buffer.concat([uint32(16 + content.length), uint32(1), uint32(0), uint32(operation), content]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** Opens a connection to the embedded server without the driver. */
export async function open(url: string): Promise<Socket> {
  const socket = connect(decodeURIComponent(new URL(url).hostname));
  await once(socket, 'connect');
  return socket;
}

/** Sends one command and returns the reply. */
export function ask(socket: Socket, command: Document): Promise<Document> {
  const reply = readReply(socket);
  socket.write(message(command));
  return reply;
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
