import { readItem, removeItem, writeItem } from '../api/site-data.ts';

const KEY = 'waymark.view';

/** Remembers the view of the address for the sign-in link that may be opened next in this tab. */
export function rememberAskedView(): void {
  writeItem('sessionStorage', KEY, location.pathname + location.search);
}

/** Returns the remembered view, once. Without one, returns the view of the address. */
export function takeAskedView(): string {
  const asked = readItem('sessionStorage', KEY);
  removeItem('sessionStorage', KEY);
  return location.pathname === '/app/' && asked?.startsWith('/app/') ? asked : location.pathname + location.search;
}
