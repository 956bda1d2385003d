import { RowError } from '../rows/row.ts';
import { timeOf } from './times.ts';
import { booleanOf, isBlank, isNo, shown, shownValue } from './values.ts';
import { isWordOf, type Meaning, wordsOf } from './words.ts';

/** @throws {RowError} if the value limits the link in a way that an import cannot keep. */
type Check = (value: unknown, column: string) => void;

/** What services call a link that is open, and the statuses of its redirects. Others may mean that it is closed. */
const OPEN_STATE = /^(?:active|available|enabled|live|ok|online|open|public|published|[23]\d\d)$/i;

const checkClosed: Check = (value, column) => {
  if (!isNo(value)) throw isClosed(column);
};

const checkOpen: Check = (value, column) => {
  if (!isBlank(value) && booleanOf(value) !== true) throw isClosed(column);
};

const checkState: Check = (value, column) => {
  if (isBlank(value) || booleanOf(value) === true || OPEN_STATE.test(shownValue(value).trim())) return;
  throw new RowError(
    `The link may be closed: its ${shown(column)} is ${shown(shownValue(value))}; remove the row, or ${shown(column)} to open it.`,
  );
};

const checkPassword: Check = (value, column) => {
  if (!isNo(value))
    throw new RowError(
      `The link has a password (column ${shown(column)}), which cannot be imported; create the link by hand.`,
    );
};

const checkVisits: Check = (value, column) => {
  if (!isNo(value))
    throw new RowError(
      `The link ends after ${shown(shownValue(value))} visits, which cannot be kept; remove ${shown(column)} to import it.`,
    );
};

const checkOnce: Check = (value, column) => {
  if (!isNo(value))
    throw new RowError(`The link works once, which cannot be kept; remove ${shown(column)} to import it.`);
};

const checkStart: Check = (value, column) => {
  const start = timeOf('start', value, column);
  if (start !== null && start.getTime() > Date.now())
    throw new RowError(
      `The link begins on ${start.toISOString()}, which cannot be kept; import it then, or remove ${shown(column)}.`,
    );
};

const checkVisitors: Check = (value, column) => {
  if (!isNo(value))
    throw new RowError(
      `The link has another destination for some visitors, which cannot be kept; remove ${shown(column)} to import it.`,
    );
};

function isClosed(column: string): RowError {
  return new RowError(
    `The link is closed, which an import does not keep; remove the row, or ${shown(column)} to open it.`,
  );
}

/** Words that name another destination by themselves. Statistics have the other ones, too. */
const VISITORS_ALONE = new Set(
  'ab,android,apple,desktop,destinations,geo,google,ios,ipad,iphone,rotate,rotation,rotator,rules,split,targeting,targets,variants'.split(
    ',',
  ),
);

/**
 * Returns the check of a column that limits who can open a link, or until when, or that redirects some visitors
 * elsewhere, or undefined. Without it, an import would open the link to more people than before. Names are judged by
 * their words: a false alarm costs a refused row with advice.
 */
export function limitOfColumn(name: string): Check | undefined {
  const words = wordsOf(name);
  const has = (meaning: Meaning) => words.some((word) => isWordOf(meaning, word));
  /** True if each word has one of these meanings. */
  const isAbout = (...meanings: Meaning[]) => words.every((word) => meanings.some((one) => isWordOf(one, word)));
  const isFillerOr = (...meanings: Meaning[]) => isAbout('filler', ...meanings);
  if (words.length === 0 || isFillerOr()) return undefined;
  if (has('once') || (has('one') && isFillerOr('one', 'time', 'visits') && (has('visits') || words.includes('time'))))
    return checkOnce;
  if (has('visits') && (has('limit') || has('expiry') || words.includes('deactivate'))) return checkVisits;
  if ((has('closed') || words.includes('expired')) && isFillerOr('closed', 'time', 'expiry', 'needed'))
    return checkClosed;
  if (has('start') && isFillerOr('start', 'time', 'open')) return checkStart;
  if ((has('open') || has('valid')) && (words.includes('from') || words.includes('since') || words.includes('at')))
    return isFillerOr('open', 'valid', 'time') ? checkStart : undefined;
  if ((has('open') || has('valid')) && isFillerOr('open', 'valid')) return checkOpen;
  if (has('state') && isFillerOr('state')) return checkState;
  if (has('password') && isFillerOr('password', 'passwordPart', 'needed')) return checkPassword;
  if (words.some((word) => VISITORS_ALONE.has(word)) && isFillerOr('visitors', 'destination')) return checkVisitors;
  if (has('visitors') && has('destination') && isFillerOr('visitors', 'visitorsPart', 'destination'))
    return checkVisitors;
  return undefined;
}
