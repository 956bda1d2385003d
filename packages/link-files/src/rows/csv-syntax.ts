import { isExportHeader } from '@waymark/contract';

const DELIMITERS = [',', ';', '\t'];

/** How a CSV file writes its records. */
export interface CsvSyntax {
  /** What separates cells. */
  delimiter: string;
  /** What ends records. */
  lineBreaks: string[];
  /** True if the first line only names the delimiter: Excel writes `sep=;`. */
  hasDelimiterLine: boolean;
}

/** Returns the syntax of a CSV file that begins with this text. */
export function csvSyntaxOf(start: string): CsvSyntax {
  const line = firstLine(start);
  const named = /^"?sep=([^\w"])"?$/i.exec(line)?.[1];
  const delimiter = named ?? mostFrequentDelimiter(line);
  // Early exports had line breaks in cells without quotes, but only others than those that end their rows.
  const isExport = isExportHeader(line.split(delimiter)) && start.startsWith(`${line}\r\n`);
  return {
    delimiter,
    lineBreaks: isExport ? ['\r\n'] : ['\r\n', '\n', '\r'],
    hasDelimiterLine: named !== undefined,
  };
}

/** Returns the delimiter that occurs most often outside of quotes. */
function mostFrequentDelimiter(line: string): string {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    const count = counts.get(character);
    if (count !== undefined && !isQuoted) counts.set(character, count + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Returns the first line that is not empty. */
function firstLine(text: string): string {
  return text.split(/\r\n|\n|\r/).find((line) => line.trim() !== '') ?? '';
}
