/** Returns the position of a term in a text from a position on, or -1, as `indexOf` does. */
export type FindTerm = (text: string, from: number) => number;

/** V8 finds a text of up to this length by its first character, and a longer one by a table, which is slower. */
const PIECE_MAX = 6;
/** A shorter piece is part of too many other words. */
const PIECE_MIN = 3;
/** The characters of URLs and of folded texts, the rarest first. All others are rarer. */
const BY_FREQUENCY = 'qzxj0123456789kvbywgfpmucldhrsnioate-/.:';

/**
 * Returns a function that finds a term. It looks for the piece of the term that begins with its rarest character, and
 * then compares the whole term. A text that has the piece elsewhere is read a second time, and never a third.
 */
export function termFinder(term: string): FindTerm {
  const start = rarestStart(term);
  const piece = term.slice(start, start + PIECE_MAX);
  return (text, from) => {
    const found = text.indexOf(piece, from + start);
    if (found === -1) return -1;
    const at = found - start;
    return text.startsWith(term, at) ? at : text.indexOf(term, at + 1);
  };
}

/** Returns the position of the rarest character that begins a piece of a term. */
function rarestStart(term: string): number {
  let rarest = 0;
  for (let at = 1; at <= term.length - PIECE_MIN; at++)
    if (BY_FREQUENCY.indexOf(term[at]!) < BY_FREQUENCY.indexOf(term[rarest]!)) rarest = at;
  return rarest;
}
