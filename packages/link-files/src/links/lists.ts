/** Returns the values of a JSON list, which may be the text of a cell, or null. */
export function listOfCell(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
