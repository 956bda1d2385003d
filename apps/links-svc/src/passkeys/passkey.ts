import { createHash } from 'node:crypto';
import type { Passkey } from '@waymark/contract';
import type { PasskeyDocument } from '../database/documents/passkey.ts';

/** Returns the id under which a credential is stored. Ids of credentials have up to 1,023 bytes. */
export function passkeyId(credentialId: string): string {
  return createHash('sha256').update(credentialId, 'utf8').digest('hex');
}

/** Returns a passkey as clients see it. */
export function shownPasskey({ _id, name, created_at, last_used_at }: PasskeyDocument): Passkey {
  return {
    id: _id,
    name,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}
