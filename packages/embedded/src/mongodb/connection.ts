import type { Socket } from 'node:net';
import type { Document } from './bson/values.ts';
import type { ServerState } from './commands/request.ts';
import type { ConnectionState } from './connection-state.ts';
import { dispatch, errorReply } from './dispatch.ts';
import { CommandError } from './errors.ts';
import { encodeReply, type Message, MessageReader, ProtocolError, parseMessage } from './wire.ts';

/** Bytes that may be buffered while a command runs; above this, reading from the socket pauses. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** One client connection; its commands are answered one at a time, in the order of arrival. */
export class Connection {
  private readonly socket: Socket;
  private readonly connection: ConnectionState;
  private readonly state: ServerState;
  private readonly reader = new MessageReader();
  private busy = false;

  constructor(socket: Socket, id: number, state: ServerState) {
    this.socket = socket;
    this.connection = { id, isClosed: false };
    this.state = state;
  }

  /** Starts listening to the client. */
  start(): void {
    const { socket } = this;
    socket.on('data', (chunk: Buffer) => {
      this.reader.push(chunk);
      if (!this.busy) this.replyToNext();
      else if (this.reader.buffered > MAX_BUFFERED_BYTES) socket.pause();
    });
    socket.on('error', () => socket.destroy()); // the client disconnected; 'close' follows
    socket.on('close', () => {
      this.connection.isClosed = true;
      this.state.transactions.connectionClosed(this.connection);
      this.state.snapshots.connectionClosed(this.connection);
    });
  }

  /** Answers the buffered messages until one takes time, then continues after that one. */
  private replyToNext(): void {
    try {
      for (;;) {
        const bytes = this.reader.take();
        if (!bytes) break;
        const message = parseMessage(bytes);
        const reply = dispatch(message.command, message.legacy, this.connection, this.state);
        if (reply instanceof Promise || !this.send(message, reply)) {
          this.wait(message, reply);
          return;
        }
      }
      this.socket.resume();
    } catch (error) {
      // A client that breaks the protocol loses its connection; other clients are not affected.
      const isClientsFault = error instanceof ProtocolError || error instanceof CommandError;
      if (!isClientsFault) console.error('embedded mongodb: a connection failed', error);
      this.socket.destroy();
    }
  }

  private wait(message: Message, reply: Document | Promise<Document>): void {
    this.busy = true;
    const resume = () => {
      this.busy = false;
      if (!this.socket.destroyed) this.replyToNext();
    };
    if (!(reply instanceof Promise)) {
      this.socket.once('drain', resume); // sent, but the client reads slowly
      return;
    }
    reply.then((document) => {
      if (this.socket.destroyed) return;
      if (this.send(message, document)) resume();
      else this.socket.once('drain', resume);
    });
  }

  /** Sends a reply; returns false if the socket must drain before more is sent. */
  private send(message: Message, reply: Document): boolean {
    if (!message.wantsReply || this.socket.destroyed) return true;
    let bytes: Buffer;
    try {
      bytes = encodeReply(message, reply);
    } catch (error) {
      bytes = encodeReply(message, errorReply(error));
    }
    return this.socket.write(bytes);
  }
}
