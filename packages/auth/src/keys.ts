import type { Scope } from '@waymark/contract';
import { randomSecret } from './secret.ts';

const PREFIXES = { full_access: 'key_live_', public_links_only: 'key_pub_' } as const satisfies Record<Scope, string>;
const FORM = /^key_(live|pub)_[0-9A-Za-z]{32,128}$/;

/** Returns a new API key: the scope's prefix and a random secret. */
export function generateKey(scope: Scope): string {
  return PREFIXES[scope] + randomSecret();
}

/** Returns the key and the scope of its prefix, or null if the text is not formatted as a key. Does no lookup. */
export function parseKey(text: string): { scope: Scope; key: string } | null {
  const kind = FORM.exec(text)?.[1];
  if (kind === undefined) return null;
  return { scope: kind === 'live' ? 'full_access' : 'public_links_only', key: text };
}
