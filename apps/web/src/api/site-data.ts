type Area = 'localStorage' | 'sessionStorage';

/** Returns an item of the site's data, or null: also if the browser forbids site data (it throws) or has none. */
export function readItem(area: Area, key: string): string | null {
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
}

/** Writes an item. Returns false if the browser forbids site data, has none, or has no room for it. */
export function writeItem(area: Area, key: string, value: string): boolean {
  try {
    window[area].setItem(key, value);
    return true;
  } catch {
    // An older value must not outlive this one.
    removeItem(area, key);
    return false;
  }
}

/** Removes an item, if there is any. */
export function removeItem(area: Area, key: string): void {
  try {
    window[area].removeItem(key);
  } catch {
    // There is no site data.
  }
}
