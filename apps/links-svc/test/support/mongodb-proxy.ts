import { createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import { connectToMongodb, mongodbUrlAt } from './mongodb-url.ts';

/** Starts a proxy to a MongoDB that can be cut, made to hang, and restored. */
export async function startMongodbProxy(url: string) {
  const sockets = new Set<Socket>();
  let state: 'open' | 'hanging' | 'cut' = 'open';
  let messagesLeft = Number.POSITIVE_INFINITY;
  let isLost = (_message: Buffer) => false;
  let isCutAt = (_message: Buffer) => false;
  let unknown: string | undefined;
  let withheld: { command: string; responses: Document[] } | undefined;
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    let isUpstreamKept = false;
    let isWithheld = false;
    const upstream = connectToMongodb(url);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        if (!isUpstreamKept) upstream.destroy();
      });
    }
    client.on('data', (arrived) => {
      const chunk = unknown === undefined ? arrived : withUnknown(arrived, unknown);
      if (isLost(chunk)) {
        isUpstreamKept = true;
        client.destroy();
        return;
      }
      messagesLeft -= 1;
      if (messagesLeft < 0 || isCutAt(chunk)) set('cut');
      isWithheld ||= withheld !== undefined && chunk.includes(`${withheld.command}\0`);
      if (state === 'open') upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (isWithheld) withheld?.responses.push(documentOf(chunk));
      else if (state === 'open') client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const set = (next: typeof state) => {
    state = next;
    messagesLeft = Number.POSITIVE_INFINITY;
    isCutAt = () => false;
    if (next !== 'hanging') for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    set('cut');
    server.close();
  };
  /** Lets some messages of clients pass, and is cut at the next one. */
  const cutAfter = (messages: number) => {
    messagesLeft = messages;
  };
  /** Is cut when the next message with this command arrives. */
  const cutAt = (command: string) => {
    isCutAt = (message) => message.includes(`${command}\0`);
  };
  /** Makes the server refuse a command from now on as one that it does not know. */
  const forget = (command: string) => {
    unknown = command;
  };
  /**
   * Loses messages with these commands from now on, together with the connection of the client. The server keeps its end of
   * it, as if the network had failed. Returns the names of the lost commands, which grow.
   */
  const lose = (...commands: string[]) => {
    const lost: string[] = [];
    isLost = (message) => {
      const command = commands.find((name) => message.includes(`${name}\0`));
      if (command !== undefined) lost.push(command);
      return command !== undefined;
    };
    return lost;
  };
  /** Withholds the responses to a command, as if they took for ever. Returns them; they grow. */
  const withhold = (command: string) => {
    withheld = { command, responses: [] };
    return withheld.responses;
  };
  return { url: mongodbUrlAt(url, port), set, cutAfter, cutAt, forget, lose, withhold, close };
}

/** Returns a message in which a command has a name of the same length that no server knows. */
function withUnknown(message: Buffer, command: string): Buffer {
  const text = message.toString('latin1').replaceAll(`${command}\0`, `${command.slice(0, -1)}_\0`);
  return Buffer.from(text, 'latin1');
}

/** Returns the document of a response that fits into one chunk: an OP_MSG with one section. */
function documentOf(message: Buffer): Document {
  return BSON.deserialize(message.subarray(16 + 4 + 1), { useBigInt64: true });
}
