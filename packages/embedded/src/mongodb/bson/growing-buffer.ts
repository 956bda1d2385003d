/** Bytes that are written one after the other. What writes more than {@link copy} and {@link byte} reserves first. */
export class GrowingBuffer {
  /** Replaced when it grows: not to be held over a call that may write. */
  protected bytes: Buffer;
  /** Where the next byte goes. */
  protected at: number;

  /** `at` bytes are kept free at the beginning. */
  constructor(size: number, at = 0) {
    this.bytes = Buffer.allocUnsafe(size);
    this.at = at;
  }

  /** All that was written. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  protected byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  protected copy(source: Uint8Array): void {
    this.reserve(source.length);
    this.bytes.set(source, this.at);
    this.at += source.length;
  }

  /** Makes room for `size` bytes more. */
  protected reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
  }
}
