import Type, { type TUnsafe } from 'typebox';

/**
 * The pattern of text without control characters other than line breaks (docs/api.md, Links). It works in the regular
 * expressions of every language: Go has no `\u0000`, and JavaScript has no `\p{Cc}` without the flag `u`.
 */
const TEXT = '^[^\\x00-\\x09\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';

/** The format of text without unpaired surrogates. UTF-8 cannot encode them, so no database can store them. */
export const UNICODE_FORMAT = 'unicode';

interface Description {
  description: string;
  examples?: unknown[];
  /** If true, the value is never returned, not even in an error message. */
  writeOnly?: boolean;
  default?: unknown;
}

/** Returns the schema of a text of `minLength` to `maxLength` code points. */
export function text(minLength: number, maxLength: number, rest: Description) {
  return Type.String({ minLength, maxLength, pattern: TEXT, format: UNICODE_FORMAT, ...rest });
}

/** Returns the schema of a text of at most `maxLength` code points, or null. */
export function nullableText(maxLength: number, rest: Description): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength,
    pattern: TEXT,
    format: UNICODE_FORMAT,
    ...rest,
  });
}

/** Returns the schema of one of these strings. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  rest: Description,
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...rest });
}

/** Returns the schema of a time as the API returns it: RFC 3339, UTC, with milliseconds. */
export function timestamp(rest: Description) {
  return Type.String({ pattern: TIMESTAMP, ...rest });
}

/** Returns the schema of a {@link timestamp} or null. */
export function nullableTimestamp(rest: Description): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: TIMESTAMP, ...rest });
}

/**
 * Folds text: texts that differ only in case or Unicode normalization become equal. Folding is idempotent. The result
 * can be longer than the input: `İ` becomes two code points.
 */
export function foldText(text: string): string {
  // Lower-casing can undo the normalization: ẖ is one code point, but its capital letter is two.
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

const TIMESTAMP = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';
