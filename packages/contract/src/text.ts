import Type, { type TUnsafe } from 'typebox';

/**
 * Text that a person typed: no control characters other than line breaks (docs/api.md, Links). In a form that the
 * regular expressions of every language read: Go's have no `\u0000`, and JavaScript's without the flag `u` no `\p{Cc}`.
 */
const TEXT = '^[^\\x00-\\x09\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';

/** The format of text without unpaired surrogates, which neither a database nor UTF-8 can hold. */
export const UNICODE_FORMAT = 'unicode';

interface Description {
  description: string;
  examples?: unknown[];
  /** Never given back, not even in an error's message. */
  writeOnly?: boolean;
  default?: unknown;
}

/** A string of `minLength` to `maxLength` code points of plain text. */
export function text(minLength: number, maxLength: number, rest: Description) {
  return Type.String({ minLength, maxLength, pattern: TEXT, format: UNICODE_FORMAT, ...rest });
}

/** As {@link text}, or null. */
export function nullableText(maxLength: number, rest: Description): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength,
    pattern: TEXT,
    format: UNICODE_FORMAT,
    ...rest,
  });
}

/** One of a closed list of strings. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  rest: Description,
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...rest });
}

/** A moment as the API shows it: RFC 3339, UTC, milliseconds. */
export function timestamp(rest: Description) {
  return Type.String({ pattern: TIMESTAMP, ...rest });
}

/** As {@link timestamp}, or null. */
export function nullableTimestamp(rest: Description): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: TIMESTAMP, ...rest });
}

/**
 * Folds text, so that two spellings that differ only in case or in Unicode normalization become the same text. Folding
 * folded text changes nothing. The result can be longer than the text: `İ` becomes two code points.
 */
export function foldText(text: string): string {
  // Lower-casing can undo the normal form: there is a code point for ẖ, and none for its capital letter.
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

const TIMESTAMP = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';
