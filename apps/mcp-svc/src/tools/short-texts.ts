import { noticeOf } from '@waymark/contract';

/** About 25,000 tokens, which common clients accept of a tool at most. A token of such JSON is about three bytes. */
const RESULT_MAX_BYTES = 74_000;
/** How many characters of each text are kept: the first of these that is short enough. */
const KEPT_LENGTHS = [1_000, 300, 100, 30, 0];
/** How many entries of each list are kept: the first of these that is short enough. */
const KEPT_COUNTS = [150, 100, 50, 20, 10];
const CUT_MARK = '… (cut)';
const REMOVED_MARK = '(cut)';
const TEXTS: readonly string[] = [
  ...['destination_url', 'title', 'description', 'note', 'expired_url', 'error', 'reason'],
  ...['social_title', 'social_description', 'social_image_url'],
];
/** A cut URL or host is useless, so these stay whole unless nothing else makes the result short enough. */
const NAMES: readonly string[] = ['short_url', 'host'];
const NAMES_MAX_LENGTH = 100;

/** Returns a link, or another part of a result, as the result can show it. */
export type Shown = <Part extends object>(part: Part) => Part;

/**
 * Returns the result of a tool. If it is longer than a model can read, the long texts and lists of its parts are cut, and
 * its notice says so. `resultOf` returns the result with its parts as they are shown.
 */
export function withShortTexts<Result extends { notice?: string }>(resultOf: (shown: Shown) => Result): Result {
  return firstShortEnough(
    resultOf((link) => link),
    KEPT_LENGTHS,
    (length) => {
      const cut = resultOf((link) => shortened(link, length));
      return { ...cut, ...noticeOf([cut.notice, noticeOn(length)]) };
    },
  );
}

/**
 * Returns as many of the first entries of a list as a model can read. `resultOf` returns the result with these entries and
 * what to add to its notice.
 */
export function withFirstOf<Entry, Result extends object>(
  entries: readonly Entry[],
  resultOf: (shown: Entry[], notice: string | undefined) => Result,
): Result {
  const room = RESULT_MAX_BYTES - bytesOf(resultOf([], undefined));
  const fitting = countFitting(entries, room, (entry) => bytesOf(entry) + 1);
  if (fitting === entries.length) return resultOf([...entries], undefined);
  return resultOf(entries.slice(0, fitting), `Only the first ${fitting} of ${entries.length} fit into this result.`);
}

/**
 * Returns the result of a tool. If it is longer than a model can read, its lists have only their first entries, and its
 * notice says so. `wholeLists` are the names of those that stay whole.
 */
export function withShortLists<Result extends { notice?: string }>(
  result: Result,
  wholeLists: readonly string[],
): Result {
  return firstShortEnough(result, KEPT_COUNTS, (count) => {
    const cut = Object.entries(result).map(([name, value]: [string, unknown]) =>
      Array.isArray(value) && !wholeLists.includes(name) ? [name, value.slice(0, count)] : [name, value],
    );
    return { ...Object.fromEntries(cut), ...noticeOf([result.notice, noticeOnLists(count)]) };
  });
}

/** Returns the whole result, or else the first of the cut ones that a model can read, or else the last one. */
function firstShortEnough<Result extends object>(
  whole: Result,
  sizes: readonly number[],
  cutTo: (size: number) => Result,
): Result {
  let result = whole;
  for (const size of sizes) {
    if (bytesOf(result) <= RESULT_MAX_BYTES) break;
    result = cutTo(size);
  }
  return result;
}

function bytesOf(json: unknown): number {
  return Buffer.byteLength(JSON.stringify(json));
}

function shortened<Part extends object>(part: Part, length: number): Part {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => {
      if (name === 'rules') return [name, firstRules(value as object[], length)];
      if (Array.isArray(value)) return [name, firstNames(value, length)];
      if (typeof value !== 'string') return [name, value];
      if (TEXTS.includes(name)) return [name, cut(value, length)];
      return [name, NAMES.includes(name) && length === 0 ? cut(value, NAMES_MAX_LENGTH, 0) : value];
    }),
  ) as Part;
}

/** Cuts a text longer than `length` UTF-16 code units to `kept` of them, or one less if that would halve a character. */
function cut(text: string, length: number, kept = length): string {
  if (text.length <= length + CUT_MARK.length) return text;
  return kept === 0 ? REMOVED_MARK : text.slice(0, kept).replace(/[\ud800-\udbff]$/, '') + CUT_MARK;
}

/** Returns the first names of a list, which have `length` characters together, and how many there are more. */
function firstNames(names: readonly string[], length: number): string[] {
  const fitting = countFitting(names, length + CUT_MARK.length, (name) => name.length);
  const more = names.length - fitting;
  return more === 0 ? [...names] : [...names.slice(0, fitting), `… (${more} more)`];
}

/** Returns the first rules, which have `length` characters together as JSON. A rule is never cut. */
function firstRules(rules: readonly object[], length: number): object[] {
  return rules.slice(0, countFitting(rules, length, bytesOf));
}

/** Returns how many of the first entries have at most `room` together. */
function countFitting<Entry>(entries: readonly Entry[], room: number, sizeOf: (entry: Entry) => number): number {
  let left = room;
  for (const [index, entry] of entries.entries()) {
    left -= sizeOf(entry);
    if (left < 0) return index;
  }
  return entries.length;
}

function noticeOn(length: number): string {
  const texts = length === 0 ? 'Long texts are removed' : `Texts are cut to ${length} characters`;
  return `${texts} where this result says "(cut)", and lists where it says "more"; rules may be missing; do not write them back. get_link returns a link whole.`;
}

function noticeOnLists(count: number): string {
  return `Not all fits into this result, so no list but those of days and hours has more than its first ${count} entries; "fields" leaves room for more.`;
}
