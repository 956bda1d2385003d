import { AppError } from '@waymark/contract';
import { CHARSET_ADVICE, type Decoder, decoderFor, HEAD_BYTES } from './decoder.ts';
import { refuseBinary } from './other-files.ts';
import { Pacer } from './pacer.ts';

/** The bytes that are handled without a look at the clock. */
const PIECE_BYTES = 4 * 1024;
const START_LENGTH = 64 * 1024;

/** The text of a file, which is read once and piece by piece. */
export class TextReader {
  readonly #pieces: AsyncGenerator<string>;
  #start: string[] = [];
  #decoder: Decoder | null = null;

  readonly #declared: string | null;

  /** @param declared the encoding that the sender names, as the Encoding standard does */
  constructor(bytes: AsyncIterable<Uint8Array>, declared: string | null) {
    this.#declared = declared;
    this.#pieces = this.#decode(bytes);
  }

  /** The encoding so far, as the Encoding standard names it. That of ASCII can become another one at any time. */
  get encoding(): string {
    return this.#decoder?.encoding ?? 'utf-8';
  }

  /**
   * Returns the beginning of the text, without a byte order mark. {@link pieces} yields it again.
   * @throws {AppError} `invalid` if the file is not text.
   */
  async start(): Promise<string> {
    let length = 0;
    while (length < START_LENGTH) {
      const { value, done } = await this.#pieces.next();
      if (done) break;
      this.#start.push(value);
      length += value.length;
    }
    return this.#start.join('');
  }

  /**
   * Yields the text in pieces of a few kilobytes, of whole characters, without a byte order mark.
   * @throws {AppError} `invalid` if the file is not text.
   */
  async *pieces(): AsyncGenerator<string> {
    yield* this.#start.splice(0);
    yield* this.#pieces;
  }

  /**
   * Yields the same as {@link pieces}.
   * @throws {AppError} `invalid` also if the encoding would have to be guessed.
   */
  async *unicodePieces(): AsyncGenerator<string> {
    for await (const piece of this.pieces()) {
      if (this.#decoder?.isGuessed)
        throw new AppError('invalid', `The file is JSON, but neither UTF-8 nor UTF-16; ${CHARSET_ADVICE}.`);
      yield piece;
    }
  }

  async *#decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const pacer = new Pacer();
    let held = Buffer.alloc(0);
    let isStart = true;
    for await (const chunk of bytes) {
      for (let position = 0; position < chunk.length; position += PIECE_BYTES) {
        if (pacer.isDue) await pacer.pause();
        const piece = chunk.subarray(position, position + PIECE_BYTES);
        if (this.#decoder === null) {
          held = Buffer.concat([held, piece]);
          if (held.length < HEAD_BYTES) continue;
        }
        const text = this.#decodePiece(this.#decoder === null ? held : piece);
        if (text === '') continue;
        yield isStart ? withoutMark(text) : text;
        isStart = false;
      }
    }
    const rest = (this.#decoder === null ? this.#decodePiece(held) : '') + this.#decoder!.end();
    if (rest !== '') yield isStart ? withoutMark(rest) : rest;
  }

  #decodePiece(bytes: Uint8Array): string {
    if (this.#decoder === null) {
      refuseBinary(bytes);
      this.#decoder = decoderFor(bytes, this.#declared);
    }
    return this.#decoder.decode(bytes);
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
