import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { AppError } from '@waymark/contract';
import { DEPTH_MAX, ROW_MAX_LENGTH } from '../sizes.ts';
import { type ReadRow, rowOfJson, rowTooLong } from './row.ts';

/** Where the APIs of the services put their links. */
const LISTS = ['links', 'data', 'shortUrls', 'short_urls', 'result'];
/** What the names of YOURLS' links begin with: link_1, link_2 and so on. */
const YOURLS_LINK = 'link_';

/**
 * Yields the rows of JSON that is a list of links, or has one. Holds one piece and one row.
 * @throws {AppError} `invalid` if it is not valid JSON, has no list, or a row is too long or too deep. The rows before
 *   that place have been yielded then.
 */
export async function* jsonRows(pieces: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  const list = new JsonList();
  let row = 0;
  for await (const piece of pieces) {
    let values: unknown[];
    try {
      values = list.add(Buffer.from(piece));
    } catch (error) {
      yield* list.take().map((value) => rowOfJson(++row, value));
      throw error instanceof AppError ? error : notJson((error as Error).message, row);
    }
    for (const value of values) yield rowOfJson(++row, value);
    if (list.isTooLong) throw rowTooLong(`after row ${row}`);
  }
  if (!list.isEnded) throw notJson('it ends too early', row);
  if (!list.isFound)
    throw new AppError('invalid', `The file has no list of links; the known names are ${LISTS.join(', ')}.`);
}

function notJson(reason: string, row: number): AppError {
  return new AppError('invalid', `The file is not valid JSON${row === 0 ? '' : ` after row ${row}`}: ${reason}.`);
}

interface Container {
  isArray: boolean;
  /** True if each name on the way to it is one of {@link LISTS}. */
  isKnown: boolean;
}

type Token = Parameters<Tokenizer['onToken']>[0];

/** Finds the rows in JSON that arrives in pieces. Forgets everything else. */
class JsonList {
  readonly #tokenizer = new Tokenizer();
  /** Checks the syntax of the whole. No value has an empty path, so it keeps none. */
  readonly #syntax = new TokenParser({ paths: [], keepStack: false });
  readonly #rowParser = new TokenParser({ paths: ['$'], separator: '' });
  readonly #values: unknown[] = [];
  /** What is open outside of the rows. */
  readonly #containers: Container[] = [];
  #key = '';
  #isKeyNext = false;
  #isInRow = false;
  #depth = 0;
  #size = 0;
  /** Where the row begins that is being read, or the last token outside of rows. */
  #since = 0;
  isFound = false;

  constructor() {
    this.#tokenizer.onToken = (token) => this.#onToken(token);
    this.#rowParser.onValue = ({ value }) => {
      this.#values.push(value);
      this.#isInRow = false;
    };
  }

  get isEnded(): boolean {
    return this.#syntax.isEnded;
  }

  /** True if the row that is being read, or a text outside of rows, is longer than allowed. */
  get isTooLong(): boolean {
    return this.#size - this.#since > ROW_MAX_LENGTH;
  }

  /** Reads the next piece. Returns the rows that it completes. */
  add(piece: Uint8Array): unknown[] {
    this.#size += piece.length;
    this.#tokenizer.write(piece);
    return this.take();
  }

  /** Returns the rows that were completed since the last call. */
  take(): unknown[] {
    return this.#values.splice(0);
  }

  #onToken(token: Token): void {
    this.#syntax.write(token);
    this.#countDepth(token.token);
    if (!this.#isInRow) {
      this.#since = token.offset;
      if (!this.#isRowStart(token.token)) {
        this.#track(token);
        return;
      }
      this.isFound = true;
      this.#isInRow = true;
    }
    this.#rowParser.write(token);
  }

  #countDepth(token: TokenType): void {
    if (isOpening(token)) this.#depth += 1;
    else if (isClosing(token)) this.#depth -= 1;
    if (this.#depth > DEPTH_MAX)
      throw new AppError('invalid', `The file has JSON that is nested more than ${DEPTH_MAX} times.`);
  }

  /** Returns true for the first token of a row. */
  #isRowStart(token: TokenType): boolean {
    const container = this.#containers.at(-1);
    if (container === undefined || !container.isKnown || isClosing(token) || isSeparator(token)) return false;
    return container.isArray || (!this.#isKeyNext && this.#key.startsWith(YOURLS_LINK));
  }

  /** Follows the tokens outside of the rows. */
  #track({ token, value }: Token): void {
    const container = this.#containers.at(-1);
    if (this.#isKeyNext && token === TokenType.STRING) {
      this.#key = String(value);
      this.#isKeyNext = false;
    } else if (isOpening(token)) {
      const isArray = token === TokenType.LEFT_BRACKET;
      const isKnown = container === undefined || (container.isKnown && LISTS.includes(this.#key));
      this.#containers.push({ isArray, isKnown });
      if (isArray && isKnown) this.isFound = true;
      this.#isKeyNext = !isArray;
    } else if (isClosing(token)) {
      this.#containers.pop();
      this.#isKeyNext = false;
    } else if (token === TokenType.COMMA) this.#isKeyNext = container?.isArray === false;
  }
}

function isOpening(token: TokenType): boolean {
  return token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET;
}

function isClosing(token: TokenType): boolean {
  return token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET;
}

function isSeparator(token: TokenType): boolean {
  return token === TokenType.COMMA || token === TokenType.COLON;
}

/** Returns true if the text is a whole JSON object without a list of links. */
export function isWholeRow(text: string): boolean {
  const list = new JsonList();
  try {
    list.add(Buffer.from(text));
  } catch {
    return false;
  }
  return list.isEnded && !list.isFound;
}
