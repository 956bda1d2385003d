/**
 * A text as a literal of ClickHouse's SQL. Parameters are the rule; this is for lists too long for a request's address,
 * in which parameters travel.
 */
export function stringLiteral(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Texts as the inside of a parenthesis after `IN`. */
export function stringList(texts: readonly string[]): string {
  return texts.map(stringLiteral).join(',');
}

/** A subquery of the numbers of links, as the tables have them, after `IN`. */
export function linkNumbers(linkIds: readonly string[]): string {
  return `(SELECT cityHash64(arrayJoin([${stringList(linkIds)}])))`;
}

/** Numbers as an array. */
export function numberList(numbers: readonly string[]): string {
  return `[${numbers.join(',')}]::Array(UInt64)`;
}
