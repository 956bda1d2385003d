import type { Socket } from 'node:net';
import type { Document } from './bson/values.ts';
import type { ConnectionState, ServerState } from './commands/request.ts';
import { dispatch, errorReply } from './dispatch.ts';
import { CommandError } from './errors.ts';
import { ScramLogin } from './scram.ts';
import { encodeReply, MAX_MESSAGE_BYTES, type Message, MessageReader, ProtocolError, parseMessage } from './wire.ts';

/** How much may wait while a command runs, before the client is made to wait. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** The largest message of a client that has not logged in: a greeting has under 1 KiB. */
const MAX_BYTES_BEFORE_LOGIN = 16 * 1024;

/** One client connection: its commands are answered one after the other, in the order in which they came. */
export class Connection {
  private readonly socket: Socket;
  private readonly connection: ConnectionState;
  private readonly state: ServerState;
  private readonly reader = new MessageReader();
  private busy = false;

  constructor(socket: Socket, id: number, state: ServerState) {
    this.socket = socket;
    this.connection = { id, login: new ScramLogin(state.user) };
    this.state = state;
  }

  /** Begins to listen to the client. */
  start(): void {
    const { socket } = this;
    socket.on('data', (chunk: Buffer) => {
      this.reader.push(chunk);
      if (!this.busy) this.answerNext();
      else if (this.reader.buffered > MAX_BUFFERED_BYTES) socket.pause();
    });
    socket.on('error', () => socket.destroy()); // a client that went away; 'close' follows
  }

  /** Answers the messages that are there until one needs time; goes on by itself after that one. */
  private answerNext(): void {
    try {
      for (;;) {
        const bytes = this.reader.take(this.connection.login.done ? MAX_MESSAGE_BYTES : MAX_BYTES_BEFORE_LOGIN);
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
      // What is not the protocol costs the client this connection, and no one else anything.
      const isClientsFault = error instanceof ProtocolError || error instanceof CommandError;
      if (!isClientsFault) console.error('embedded mongodb: a connection failed', error);
      this.socket.destroy();
    }
  }

  private wait(message: Message, reply: Document | Promise<Document>): void {
    this.busy = true;
    const goOn = () => {
      this.busy = false;
      if (!this.socket.destroyed) this.answerNext();
    };
    if (!(reply instanceof Promise)) {
      this.socket.once('drain', goOn); // sent, but the client is slow to read
      return;
    }
    reply.then((document) => {
      if (this.socket.destroyed) return;
      if (this.send(message, document)) goOn();
      else this.socket.once('drain', goOn);
    });
  }

  /** Sends a reply; false when the client has to read before more is sent. */
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
