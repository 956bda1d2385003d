import { isWholeRow } from './json-list.ts';

/** How a file writes its rows. */
export type FileKind = 'csv' | 'ndjson' | 'json';

/**
 * Returns the kind of a file that begins with this text. The media type only decides between CSV and JSON, because ndjson
 * is often sent as JSON.
 */
export function kindOf(start: string, contentType = ''): FileKind {
  const text = start.trimStart();
  const isJson = /csv/i.test(contentType) ? false : /json/i.test(contentType) || /^[[{]/.test(text);
  if (!isJson) return 'csv';
  // A first line that the start cuts off is longer than any link.
  return text === '' || (text.startsWith('{') && isWholeRow(text.split(/[\r\n]/, 1)[0]!)) ? 'ndjson' : 'json';
}
