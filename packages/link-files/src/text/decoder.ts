import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { AppError } from '@waymark/contract';
import { WesternText } from './western-text.ts';

/** Decodes a file piece by piece. */
export interface Decoder {
  /** The encoding so far, as the Encoding standard names it. ASCII is UTF-8. */
  readonly encoding: string;
  /** True if neither the file nor who sent it says the encoding. */
  readonly isGuessed: boolean;
  /** @throws {AppError} `invalid` if the bytes are not text in this encoding. */
  decode(bytes: Uint8Array): string;
  /**
   * Returns what was held back.
   * @throws {AppError} `invalid` if the file ends inside of a character.
   */
  end(): string;
}

/** How many bytes {@link decoderFor} needs to see. */
export const HEAD_BYTES = 4;

/** Other names of encodings: the code pages of Windows in East Asia, and what Excel calls that of the Mac. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
};

/** What to do about a file whose encoding is not known: over REST, and on the command line. */
export const CHARSET_ADVICE =
  'save it as UTF-8, or send its charset, as with "charset=windows-1251" in "Content-Type" or "admin links import --charset windows-1251"';

/**
 * Returns the encoding of this name, as the Encoding standard names it.
 * @throws {AppError} `invalid` if there is none.
 */
export function encodingOf(charset: string): string {
  const name = charset.trim().toLowerCase();
  const label = OTHER_NAMES[name.replace(/^(?:cp|ms|windows-?)(?=9\d\d$)/, '')] ?? name;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new AppError(
      'invalid',
      `The charset ${JSON.stringify(charset.slice(0, 40))} is not known; send one such as utf-8, windows-1251, shift_jis, gbk, big5 or euc-kr.`,
    );
  }
}

/**
 * Returns the decoder for a file that begins with these bytes: of the encoding of its byte order mark, else the one that is
 * declared, else UTF-16, UTF-8 or Windows-1252.
 */
export function decoderFor(head: Uint8Array, declared: string | null = null): Decoder {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return new StrictDecoder('utf-16le');
  if (first === 0xfe && second === 0xff) return new StrictDecoder('utf-16be');
  if (first === 0xef && second === 0xbb && third === 0xbf) return new StrictDecoder('utf-8');
  if (declared !== null && declared !== 'utf-16le') return new StrictDecoder(declared);
  // Without a byte order mark, the zeros of ASCII characters tell.
  if (first !== 0 && second === 0) return new StrictDecoder('utf-16le');
  if (first === 0 && second !== 0) return new StrictDecoder('utf-16be');
  return declared === null ? new Utf8OrWindows1252Decoder() : new StrictDecoder(declared);
}

/** Control characters that no text has. Some decoders give them for bytes that mean nothing. */
const NO_TEXT = /[\x80-\x84\x86-\x9f\ufffd]/;

/** Never replaces bytes by U+FFFD. Keeps a byte order mark. */
class StrictDecoder implements Decoder {
  readonly isGuessed = false;
  readonly encoding: string;
  readonly #decoder: TextDecoder;

  constructor(encoding: string) {
    this.encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  }

  decode(bytes: Uint8Array): string {
    return this.#decode(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#decode(() => this.#decoder.decode());
  }

  #decode(decode: () => string): string {
    let text: string;
    try {
      text = decode();
    } catch (cause) {
      throw this.#notValid(cause);
    }
    if (!/^(?:utf-|windows-1252)/.test(this.encoding) && NO_TEXT.test(text)) throw this.#notValid();
    return text;
  }

  #notValid(cause?: unknown): AppError {
    return new AppError('invalid', `The file is not valid ${this.encoding.toUpperCase()}; ${CHARSET_ADVICE}.`, {
      cause,
    });
  }
}

/**
 * Decodes UTF-8, or Windows-1252 if the first character that is not ASCII is not valid UTF-8. Text in Windows-1252 hardly
 * ever begins with two such characters that are valid UTF-8, and up to there both are the same. Refuses what is decoded
 * as Windows-1252 and does not look Western.
 */
class Utf8OrWindows1252Decoder implements Decoder {
  #decoder: StrictDecoder | null = null;
  /** It begins with what was ASCII: that may be the beginning of a word. */
  readonly #western = new WesternText();
  /** The beginning of the first character that is not ASCII. */
  #held = Buffer.alloc(0);

  get encoding(): string {
    return this.#decoder?.encoding ?? 'utf-8';
  }

  get isGuessed(): boolean {
    return this.encoding === 'windows-1252';
  }

  decode(bytes: Uint8Array): string {
    return this.#checked(this.#decoder?.decode(bytes) ?? this.#decodeUndecided(bytes, false), false);
  }

  end(): string {
    const held = this.#decoder === null ? this.#decodeUndecided(new Uint8Array(), true) : '';
    return this.#checked(held + (this.#decoder?.end() ?? ''), true);
  }

  #checked(text: string, isEnd: boolean): string {
    const isUtf8Text = this.#decoder !== null && !this.isGuessed;
    if (!isUtf8Text && !this.#western.add(text, isEnd))
      throw new AppError(
        'invalid',
        `The file is neither UTF-8 nor UTF-16, and its text does not look like Windows-1252; ${CHARSET_ADVICE}.`,
      );
    return text;
  }

  #decodeUndecided(bytes: Uint8Array, isEnd: boolean): string {
    const all = Buffer.concat([this.#held, bytes]);
    this.#held = Buffer.alloc(0);
    if (isAscii(all)) return all.toString('latin1');
    const start = all.findIndex((byte) => byte >= 0x80);
    const character = all.subarray(start, start + lengthOfCharacter(all[start]!));
    if (!isEnd && character.length < lengthOfCharacter(all[start]!)) {
      this.#held = all.subarray(start);
      return all.toString('latin1', 0, start);
    }
    this.#decoder = new StrictDecoder(isUtf8(character) ? 'utf-8' : 'windows-1252');
    return this.#decoder.decode(all);
  }
}

/** Returns how many bytes a character of UTF-8 has that begins with this byte. */
function lengthOfCharacter(lead: number): number {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
