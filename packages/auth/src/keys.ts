import type { Scope } from '@waymark/contract';
import { randomSecret } from './secret.ts';

/** The kinds of API keys: one of each scope, and restricted ones. */
export type KeyKind = Scope | 'restricted';

const PREFIXES = {
  full_access: 'key_live_',
  public_links_only: 'key_pub_',
  restricted: 'key_res_',
} as const satisfies Record<KeyKind, string>;
const FORM = /^key_(live|pub|res)_[0-9A-Za-z]{32,128}$/;

/** Returns a new API key: the prefix of its kind and a random secret. */
export function generateKey(kind: KeyKind): string {
  return PREFIXES[kind] + randomSecret();
}

/** Returns true if the text is formatted as an API key. Does no lookup. */
export function isKey(text: string): boolean {
  return FORM.test(text);
}
