/** Returns the position of a term in a text from a position on, or -1, as `indexOf` does. */
export type FindTerm = (text: string, from: number) => number;

/** V8 looks for a text of up to this length by its first character alone. A longer one is compared at many positions. */
const PIECE_MAX = 6;
/** A shorter piece is found too often in other words. */
const PIECE_MIN = 3;
/** Characters of folded texts in English and of URLs, the rarest first. Others are rarer than these. */
const BY_FREQUENCY = 'qzxj0123456789kvbywgfpmucldhrsnioate-/.:';

/**
 * Returns a function that finds a term. It looks for the piece of the term that begins with its rarest character, which
 * is much faster than a long term. Texts that have the piece without the term are searched a second time at most.
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

/** Returns the position of the rarest character of a term that begins a piece. */
function rarestStart(term: string): number {
  let rarest = 0;
  for (let at = 1; at <= term.length - PIECE_MIN; at++)
    if (BY_FREQUENCY.indexOf(term[at]!) < BY_FREQUENCY.indexOf(term[rarest]!)) rarest = at;
  return rarest;
}
