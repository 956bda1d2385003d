import { readItem, removeItem, writeItem } from '../api/site-data.ts';
import { API_URL } from '../page-facts.ts';

const KEY = 'waymark.verifier';

/** Leaves the page to sign in at the OpenID provider. What it comes back with works in this tab only. */
export async function signInAtProvider(): Promise<void> {
  // The provider sends the browser back there.
  if (location.origin !== API_URL) return location.assign(`${API_URL}/app/`);
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  writeItem('sessionStorage', KEY, verifier);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  location.assign(`/auth/oidc/start?challenge=${hash.toBase64({ alphabet: 'base64url', omitPadding: true })}`);
}

/** Returns what a sign-in of this tab was begun with, once. */
export function takeVerifier(): { verifier?: string } {
  const verifier = readItem('sessionStorage', KEY);
  removeItem('sessionStorage', KEY);
  return verifier === null ? {} : { verifier };
}
