/** Returns the rows of CSV (RFC 4180) that are not empty. */
export function csvRows(text: string, delimiter = ','): string[][] {
  const code = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"|([^${code}\\r\\n]*))(${code}|\\r\\n|\\n|\\r|$)`, 'gy');
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(cells)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end !== delimiter) rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell !== ''));
}

/** Returns a row of CSV (RFC 4180), without its line break. */
export function csvRow(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}
