import { takeAskedView } from './asked-view.ts';

let taken: string | null = null;

/** Takes the token of a sign-in link (`#token=…`) out of the address bar and the history. Returns whether there is one. */
export function takeTokenFromAddress(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return false;
  history.replaceState(null, '', takeAskedView());
  taken = token;
  return true;
}

/** Returns the token that was taken, once. */
export function readTakenToken(): string | null {
  const token = taken;
  taken = null;
  return token;
}
