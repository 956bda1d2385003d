import type { Link } from '@waymark/contract';

/** About 25,000 tokens, which common clients accept of a tool at most; a token is at least three bytes of text. */
const RESULT_MAX_BYTES = 74_000;
/** How many characters of each note are kept: the first of these that is short enough. */
const KEPT_LENGTHS = [1_000, 300, 100, 30, 0];
const CUT_MARK = '… (cut)';

/**
 * Returns the result of a tool with these links in its JSON. If it is longer than a model can read, long notes are cut,
 * in the links themselves, and a remark says so. Notes that `fields` asks for are never cut.
 */
export function withShortNotes(
  json: object,
  links: readonly Link[],
  fields: string | undefined,
): { json: object; remark?: string } {
  if (fields?.split(',').includes('note') || !isTooLong(json)) return { json };
  const notes = links.flatMap((link) => (typeof link.note === 'string' ? [{ link, note: link.note }] : []));
  for (const length of KEPT_LENGTHS) {
    const long = notes.filter(({ note }) => note.length > length + CUT_MARK.length);
    for (const { link, note } of long) link.note = cut(note, length);
    if (long.length > 0 && (!isTooLong(json) || length === 0)) return { json, remark: remarkOn(length) };
  }
  return { json };
}

function isTooLong(json: object): boolean {
  return Buffer.byteLength(JSON.stringify(json)) > RESULT_MAX_BYTES;
}

/** Cuts a text to `length` UTF-16 code units, or one less if that would halve a character. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '') + CUT_MARK;
}

function remarkOn(length: number): string {
  const kept = length === 0 ? 'left out' : `cut to ${length} characters`;
  return `Long notes are ${kept} in this result; list_links with "fields":"note" returns them whole.`;
}
