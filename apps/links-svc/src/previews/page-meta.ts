import { HeadParser, type PageMeta } from './head-parser.ts';
import { declaredEncoding, decodePage, lateEncoding, PRESCAN_BYTES, pieceDecoder } from './page-charset.ts';

/**
 * A reader of title and description from the head of an HTML page as its bytes arrive, in the page's own encoding. Never
 * throws, whatever the bytes, and takes linear time.
 */
export class PageMetaReader {
  readonly #contentType: string;
  readonly #chunks: Buffer[] = [];
  /** Finds the end of the head while the page arrives. */
  readonly #finder = new HeadParser({ isDamaged: false });
  #bytes = 0;
  #encoding: string | null = null;
  #toText: ((bytes: Buffer) => string) | null = null;

  /** Starts a reader. `contentType` is the `Content-Type` header of the page. */
  constructor(contentType: string) {
    this.#contentType = contentType;
  }

  /** Reads the next bytes. Returns true if further bytes would change nothing or would be ignored. */
  write(bytes: Buffer): boolean {
    if (this.#finder.isDone) return true;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#toText !== null) this.#finder.write(this.#toText(bytes));
    else if (this.#bytes >= PRESCAN_BYTES) this.#begin();
    return this.#finder.isDone;
  }

  /** Returns what was found in the bytes so far. */
  result(): PageMeta {
    if (this.#toText === null) this.#begin();
    const page = Buffer.concat(this.#chunks);
    // Without a declaration, each byte was one character, and bytes after the head are not to decide.
    const head = this.#encoding === null && this.#finder.isDone ? page.subarray(0, this.#finder.length) : page;
    const { text, isDamaged } = decodePage(head, this.#encoding ?? lateEncoding(head));
    const parser = new HeadParser({ isDamaged });
    parser.write(text);
    return parser.result();
  }

  #begin(): void {
    const start = Buffer.concat(this.#chunks);
    this.#encoding = declaredEncoding(this.#contentType, start);
    const toText = pieceDecoder(this.#encoding);
    this.#finder.write(toText(start));
    this.#toText = toText;
  }
}
