// Whether text that was decoded as Windows-1252 was written in it. Most bytes beyond ASCII are letters in every encoding
// of one byte, so nonsense is known by words that no Western language has, and by signs inside of words.

const CAPITAL = 'À-ÖØ-ÞŠŽŒŸ';
const SMALL = 'ß-öø-ÿšžœ';
const LETTER = `A-Za-z${CAPITAL}${SMALL}`;

/** What the letters of one word can be, in lower case. Letters that others write with the same bytes are not there. */
const WORDS: readonly RegExp[] = [
  // German and Dutch, with the accents of loanwords.
  /^[a-zßàáäçèéêëíïñóôöúü]+$/,
  // French.
  /^(?:[a-zàâçèéêëîïôûü]|œ(?=[dilnstu])|ù$)+$/,
  // Spanish, Catalan and Irish.
  /^[a-zàáçèéíïñòóúü]+$/,
  // Portuguese.
  /^(?:[a-zàáâãçéêíóôúü]|õ(?=e))+$/,
  // Italian.
  /^[a-z]*[àèéìíòóù]$/,
  // Danish and Norwegian.
  /^[a-zæøåéôü]+$/,
  // Swedish and Finnish.
  /^[a-zåäöéàü]+$/,
];

/** Such as Škoda. The bytes are the same in Windows-1250. */
const NAME_OF_NEIGHBOURS = /^[ŠŽ][a-z]+$/;

/** Where no sign of Windows-1252 stands. */
const MISPLACED = new RegExp(
  [
    '[\\x80-\\x9f¤¦¨¯¸ˆ˜ƒ]',
    `[${LETTER}][§¶©¼½¾£¥¢€±×÷¬†‡‰¹µ„‚¿¡•]`,
    `[§¶©®™¼½¾£¥¢€±×÷¬†‡‰¹²³ºª][${LETTER}]`,
    `[${LETTER}][“”«»‹›][${LETTER}]`,
    `[§¶©®¼½¾£¥¢±×÷¬†‡‰¹²³°][§¶©®¼½¾£¥¢±×÷¬†‡‰¹²³°«»]`,
    `(?<![mM\\d])³`,
    `(?<![aeouéAEOUÉ])[ïÏ]`,
    `(?<![nN])(?<=[${LETTER}])°|°(?![CF])[${LETTER}]`,
    `[a-z${SMALL}]–[a-z${SMALL}]`,
    `[„‚¿¡](?![${LETTER}\\d"'(“‘«¿¡…])`,
    `[a-z${SMALL}][${CAPITAL}]`,
    `(?![äöüßÄÖÜ]{3})[${CAPITAL}${SMALL}]{3}`,
  ].join('|'),
);
const WORD = new RegExp(`[${LETTER}]+`, 'g');
const NOT_ASCII = /[^ -~\s]/;

/** Looks at text in pieces. */
export class WesternText {
  /** The beginning of what the next piece goes on with. */
  #rest = '';

  /** Returns false if the pieces so far have a word or a sign that no Western text has. */
  add(piece: string, isEnd: boolean): boolean {
    const text = this.#rest + piece;
    const end = isEnd ? text.length : 1 + Math.max(...SPACES.map((space) => text.lastIndexOf(space)));
    this.#rest = text.length - end > WORD_MAX_LENGTH ? '' : text.slice(end);
    return looksWestern(this.#rest === '' ? text : text.slice(0, end));
  }
}

const SPACES = [' ', '\n', '\r', '\t'];
const WORD_MAX_LENGTH = 1_024;

/** Returns true if each word and sign of a text is one of a Western language. */
export function looksWestern(text: string): boolean {
  if (!NOT_ASCII.test(text)) return true;
  if (MISPLACED.test(text)) return false;
  return (text.match(WORD) ?? []).every((word) => !NOT_ASCII.test(word) || isWesternWord(word));
}

function isWesternWord(word: string): boolean {
  const small = word.toLowerCase();
  // Letters of other scripts are whole words of such letters, but somebody may try the German ones.
  if (word.length > 1 && !/[a-z]/.test(small)) return /^[äöüß]{3,}$/.test(small);
  return NAME_OF_NEIGHBOURS.test(word) || WORDS.some((one) => one.test(small));
}
