/**
 * Returns a text as a literal in ClickHouse SQL. Prefer parameters; this is for lists that are too long for the URL, in
 * which parameters are sent.
 */
export function stringLiteral(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Returns texts as comma-separated literals, for use in parentheses or brackets. */
export function stringList(texts: readonly string[]): string {
  return texts.map(stringLiteral).join(',');
}

/** Returns a subquery for use after `IN`: the numbers of links in the tables. */
export function linkNumbers(linkIds: readonly string[]): string {
  return `(SELECT cityHash64(arrayJoin([${stringList(linkIds)}])))`;
}

/** Returns numbers as an array literal. */
export function numberList(numbers: readonly string[]): string {
  return `[${numbers.join(',')}]::Array(UInt64)`;
}
