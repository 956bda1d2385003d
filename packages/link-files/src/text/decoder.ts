import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { AppError } from '@waymark/contract';

/** Decodes a file piece by piece. */
export interface Decoder {
  /** The encoding, if nothing in the file says it. */
  readonly guessed: 'windows-1252' | null;
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

/** Returns the decoder for a file that begins with these bytes: UTF-8, UTF-16 or Windows-1252. */
export function decoderFor(head: Uint8Array): Decoder {
  const [first, second] = head;
  // Without a byte order mark, the zeros of ASCII characters tell.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return new StrictDecoder('utf-16le');
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return new StrictDecoder('utf-16be');
  return new Utf8OrWindows1252Decoder();
}

/** Never replaces bytes by U+FFFD. Keeps a byte order mark. */
class StrictDecoder implements Decoder {
  readonly guessed = null;
  readonly #encoding: string;
  readonly #decoder: TextDecoder;

  constructor(encoding: string) {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  }

  decode(bytes: Uint8Array): string {
    return this.#decode(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#decode(() => this.#decoder.decode());
  }

  #decode(decode: () => string): string {
    try {
      return decode();
    } catch (cause) {
      throw new AppError('invalid', `The file is not valid ${this.#encoding.toUpperCase()}; save it as UTF-8.`, {
        cause,
      });
    }
  }
}

/**
 * Decodes UTF-8, or Windows-1252 if the first character that is not ASCII is not valid UTF-8. Text in Windows-1252 hardly
 * ever begins with two such characters that are valid UTF-8, and up to there both are the same.
 */
class Utf8OrWindows1252Decoder implements Decoder {
  #decoder: StrictDecoder | null = null;
  #isWindows1252 = false;
  /** The beginning of the first character that is not ASCII. */
  #held = Buffer.alloc(0);

  get guessed(): 'windows-1252' | null {
    return this.#isWindows1252 ? 'windows-1252' : null;
  }

  decode(bytes: Uint8Array): string {
    return this.#decoder?.decode(bytes) ?? this.#decodeUndecided(bytes, false);
  }

  end(): string {
    return (this.#decoder === null ? this.#decodeUndecided(new Uint8Array(), true) : '') + (this.#decoder?.end() ?? '');
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
    this.#isWindows1252 = !isUtf8(character);
    this.#decoder = new StrictDecoder(this.#isWindows1252 ? 'windows-1252' : 'utf-8');
    return this.#decoder.decode(all);
  }
}

/** Returns how many bytes a character of UTF-8 has that begins with this byte. */
function lengthOfCharacter(lead: number): number {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
