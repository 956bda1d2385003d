import { stripVTControlCharacters, styleText } from 'node:util';

/** Prints a line to standard error if that is a terminal. */
export function noteOnTerminal(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Returns the text in a style, if a terminal shows it and NO_COLOR is not set. */
export function styled(style: Style, text: string): string {
  const isStyled = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return isStyled ? styleText(style, text, { validateStream: false }) : text;
}

/** Returns how many columns a line has. Nothing is cut where no terminal is. */
export function lineWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

/** Returns the text in one line, without what could control a terminal or turn its direction. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029])+/gu, ' ')
    .trim();
}

/** Returns a number of things in words, such as `1 link` and `2,000 links`. */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

/** Returns a URL as people write it. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
