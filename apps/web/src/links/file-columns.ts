import { csvRows } from '../csv.ts';

/** A column of a file, with the first value in it. */
export interface FileColumn {
  name: string;
  sample: string;
}

const HEAD_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t'];

/** Returns the columns that the beginning of a file has, to choose from. None if it is no text. */
export async function readFileColumns(file: File): Promise<FileColumn[]> {
  const text = textOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  const found = /^\s*[[{]/.test(text) ? columnsOfJson(text) : columnsOfCsv(text);
  return [...found].filter(([name]) => name !== '').map(([name, sample]) => ({ name, sample }));
}

function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 = (first === 0xff && second === 0xfe) || second === 0 ? 'utf-16le' : first === 0xfe ? 'utf-16be' : null;
  const decode = (encoding: string) => new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  try {
    const text = decode(utf16 ?? 'utf-8');
    return text.includes('\0') ? '' : text;
  } catch {
    return utf16 === null && !bytes.includes(0) ? decode('windows-1252') : '';
  }
}

function columnsOfCsv(text: string): Map<string, string> {
  const [first = ''] = text.split(/\r\n|\n|\r/, 1);
  const named = /^"?sep=(.)"?$/i.exec(first)?.[1];
  const start = named === undefined ? text.trimStart() : text.slice(first.length).trimStart();
  const [header = ''] = start.split(/\r\n|\n|\r/, 1);
  const [most] = DELIMITERS.toSorted((a, b) => header.split(b).length - header.split(a).length);
  const [names = [], ...rows] = csvRows(start, named ?? most);
  const sampleAt = (position: number) => rows.map((row) => row[position]).find(Boolean) ?? '';
  return firstOfEach(names.map((name, position) => [name.trim(), sampleAt(position)]));
}

/** Finds names with their values also where the text breaks off. */
function columnsOfJson(text: string): Map<string, string> {
  const pairs = text.matchAll(/("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|[\w.+-]+)?/g);
  return firstOfEach([...pairs].map(([, name, value]) => [textOfJson(name!), textOfJson(value ?? '""')]));
}

function textOfJson(json: string): string {
  try {
    return String(JSON.parse(json) ?? '');
  } catch {
    return '';
  }
}

/** Returns the first value of each name that is not empty. */
function firstOfEach(pairs: (readonly [string, string])[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) found.set(name, found.get(name) || value);
  return found;
}
