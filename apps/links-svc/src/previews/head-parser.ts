import { Parser } from 'htmlparser2';

/** The title and description that a page declares. */
export interface PageMeta {
  title: string | null;
  description: string | null;
}

/** The contract's limits for the fields of a link, in code points. */
const TITLE_MAX_LENGTH = 200;
const DESCRIPTION_MAX_LENGTH = 1_000;

/** The best name comes first. `title` is the element, and `description` the plain `meta`. */
const TITLE_NAMES = ['og:title', 'twitter:title', 'title'];
const DESCRIPTION_NAMES = ['og:description', 'twitter:description', 'description'];
/** The values of `name` or `property` of the `meta` elements that are read. */
const META_NAMES = new Set([...TITLE_NAMES, ...DESCRIPTION_NAMES].filter((name) => name !== 'title'));

/** The number of characters of a text that are read, before white space is collapsed. */
const TEXT_MAX_LENGTH = 10_000;
/** The parser takes quadratic time in the depth. A head needs only a few levels. */
const MAX_DEPTH = 32;
/** The parser also takes quadratic time in the number of pieces in which a tag arrives. */
const MAX_PIECES = 2_000;

/**
 * A reader of title and description from the head of an HTML page as its text arrives. Open Graph comes first, then the
 * Twitter card, then `<title>` and `meta description`. Never throws, whatever the text, and takes linear time. Elements
 * that do not belong in a head do not end it, because many pages have some there.
 */
export class HeadParser {
  readonly #found = new Map<string, string>();
  readonly #isDamaged: boolean;
  readonly #parser: Parser;
  #pieces = 0;
  #title: string | null = null;
  /** The first value of each attribute of the `meta` tag that is being read. */
  #meta: { property?: string; name?: string; content?: string } | null = null;
  #depth = 0;
  #svgDepth = 0;
  #isDone = false;

  /** Starts a parser. `isDamaged` says that the text did not decode, so values with U+FFFD are ignored. */
  constructor({ isDamaged }: { isDamaged: boolean }) {
    this.#isDamaged = isDamaged;
    this.#parser = new Parser({
      onopentagname: (name) => this.#open(name),
      // Not `onopentag`: it would create an object with all attributes, even if there are hundreds of thousands.
      onattribute: (name, value) => {
        if (this.#meta !== null && (name === 'property' || name === 'name' || name === 'content'))
          this.#meta[name] ??= value;
      },
      ontext: (text) => {
        if (this.#title !== null && this.#title.length < TEXT_MAX_LENGTH) this.#title += text;
      },
      onclosetag: (name, isImplied) => this.#close(name, isImplied),
    });
  }

  /** True if further text would change nothing or would be ignored. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The number of characters up to the end of the head, once the parser is done. */
  get length(): number {
    return this.#parser.endIndex + 1;
  }

  /** Reads the next piece of the text. */
  write(text: string): void {
    if (this.#isDone) return;
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) this.#finish();
    else this.#parser.write(text);
  }

  /** Returns what was found in the text so far. */
  result(): PageMeta {
    return {
      title: this.#best(TITLE_NAMES, TITLE_MAX_LENGTH),
      description: this.#best(DESCRIPTION_NAMES, DESCRIPTION_MAX_LENGTH),
    };
  }

  #open(name: string): void {
    this.#depth += 1;
    if (name === 'body' || this.#depth > MAX_DEPTH) this.#finish();
    else if (name === 'svg') this.#svgDepth += 1;
    else if (name === 'title' && this.#svgDepth === 0) this.#title = '';
    else if (name === 'meta') this.#meta = {};
  }

  /** Handles the end of an element. `meta` has no content, so it ends with its tag. */
  #close(name: string, isImplied: boolean): void {
    this.#depth -= 1;
    if (name === 'head') this.#finish();
    else if (name === 'svg') this.#svgDepth -= 1;
    else if (name === 'title' && this.#title !== null) {
      // An implied end is where the input ended, so the title may be incomplete.
      if (!isImplied) this.#keep('title', this.#title);
      this.#title = null;
    } else if (name === 'meta' && this.#meta !== null) {
      // Pages confuse the two attributes, so readers commonly accept both.
      const key = (this.#meta.property ?? this.#meta.name ?? '').trim().toLowerCase();
      if (META_NAMES.has(key)) this.#keep(key, this.#meta.content ?? '');
      this.#meta = null;
    }
  }

  #finish(): void {
    this.#isDone = true;
    // The rest of the current piece must not be parsed either.
    this.#parser.pause();
  }

  /** Keeps the first value of a name that is not empty and was decoded. */
  #keep(name: string, value: string): void {
    if (this.#found.has(name)) return;
    const text = value.slice(0, TEXT_MAX_LENGTH);
    if (this.#isDamaged && text.includes('\ufffd')) return;
    if (plainText(text, 1) !== null) this.#found.set(name, text);
  }

  #best(names: readonly string[], maxLength: number): string | null {
    for (const name of names) {
      const value = this.#found.get(name);
      if (value !== undefined) return plainText(value, maxLength);
    }
    return null;
  }
}

/** Returns one line of plain text of at most `maxLength` code points, or null if nothing is left. */
function plainText(value: string, maxLength: number): string | null {
  const line = value
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .trim();
  const text = Array.from(line.slice(0, maxLength * 2))
    .slice(0, maxLength)
    .join('')
    // The cut may have split a surrogate pair or left a space at the end.
    .replace(/\p{Cs}$/u, '')
    .trimEnd();
  return text === '' ? null : text;
}
