/** Saves a file in the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The download has begun when the click returns, but it may read the content later.
  setTimeout(URL.revokeObjectURL, 60_000, url);
}

/** Saves CSV in the browser's downloads. Without the byte order mark, Excel does not read it as UTF-8. */
export function saveCsv(csv: Blob | string, name: string): void {
  saveFile(new Blob(['\uFEFF', csv], { type: 'text/csv' }), name);
}
