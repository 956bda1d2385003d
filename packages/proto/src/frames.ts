const LENGTH_BYTES = 4;

/** A value on its way over a connection: the length of its JSON in four bytes, the highest first, then the JSON in UTF-8. */
export function frameOf(value: object): Buffer {
  const json = JSON.stringify(value);
  const length = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(json, LENGTH_BYTES);
  return frame;
}

/** Makes values of the bytes of a connection, however they are cut. */
export class FrameReader {
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** Bytes that came after {@link #bytes}, not yet joined to them. */
  #more: Buffer[] = [];
  #length = 0;

  /** `maxBytes`: the longest JSON that is read. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The values whose last byte is in `chunk`.
   * @throws {RangeError} where one is announced that is too long; {SyntaxError} where one is no JSON. Nothing can be read after that.
   */
  read(chunk: Buffer): unknown[] {
    this.#more.push(chunk);
    this.#length += chunk.length;
    const values: unknown[] = [];
    for (let end = this.#endOfFrame(); end <= this.#length; end = this.#endOfFrame()) {
      const bytes = this.#joined();
      values.push(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)));
      this.#bytes = bytes.subarray(end);
      this.#length -= end;
    }
    return values;
  }

  /** Where the first frame ends; beyond all bytes as long as that is not known. */
  #endOfFrame(): number {
    if (this.#length < LENGTH_BYTES) return Infinity;
    if (this.#bytes.length < LENGTH_BYTES) this.#joined();
    const length = this.#bytes.readUInt32BE();
    if (length > this.#maxBytes)
      throw new RangeError(`A frame of ${length} bytes; at most ${this.#maxBytes} are read.`);
    return LENGTH_BYTES + length;
  }

  #joined(): Buffer {
    if (this.#more.length > 0) {
      this.#bytes =
        this.#bytes.length === 0 && this.#more.length === 1
          ? this.#more[0]!
          : Buffer.concat([this.#bytes, ...this.#more]);
      this.#more = [];
    }
    return this.#bytes;
  }
}
