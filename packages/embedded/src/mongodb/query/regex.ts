import type { BSONRegExp } from 'bson';
import { CommandError } from '../errors.ts';

const cache = new Map<string, RegExp>();
const CACHE_SIZE = 500;

/**
 * A JavaScript expression with the meaning of MongoDB's (PCRE). Syntax that JavaScript would read differently or not at
 * all is refused with code 51091, options other than `i`, `m`, `s` and `u` with 51108.
 */
export function compileRegex(pattern: string, options: string): RegExp {
  const key = `${options}/${pattern}`;
  const known = cache.get(key);
  if (known) return known;
  const compiled = compile(pattern, options);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, compiled);
  return compiled;
}

/** The same for a BSON regular expression. */
export const compileBsonRegex = (regex: BSONRegExp): RegExp => compileRegex(regex.pattern, regex.options);

function compile(source: string, options: string): RegExp {
  const flags = new Set<string>();
  for (const option of options) {
    if (!'imsu'.includes(option)) throw new CommandError(51108, `invalid flag in regex options: ${option}`);
    if (option !== 'u') flags.add(option);
  }
  let pattern = source;
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  if (inline) {
    for (const flag of inline[1] as string) flags.add(flag);
    pattern = pattern.slice(inline[0].length);
  }
  // POSIX classes are plain character lists to JavaScript: a silent difference.
  if (/\[\[:\^?[a-z]+:\]/.test(pattern)) throw invalid(source, 'POSIX character classes are not supported here');
  const allFlags = [...flags].join('');
  try {
    return new RegExp(pattern, `${allFlags}u`);
  } catch {
    // PCRE lets any character that is no letter or digit be escaped; JavaScript's Unicode mode only syntax characters.
    const relaxed = pattern.replace(/\\([\s\S])/g, (escaped, character: string) =>
      /[\p{L}\p{N}^$\\.*+?()[\]{}|/-]/u.test(character) ? escaped : character,
    );
    const outside = relaxed.replace(/\[(?:\\.|[^\]\\])*\]|\\-/g, (part) => (part === '\\-' ? '-' : part));
    try {
      return new RegExp(outside, `${allFlags}u`);
    } catch (error) {
      throw invalid(source, (error as Error).message);
    }
  }
}

const invalid = (pattern: string, why: string): CommandError =>
  new CommandError(51091, `Regular expression is invalid: ${why} (in ${JSON.stringify(pattern)})`);
