import { randomInt } from 'node:crypto';
import type { Host } from '@waymark/contract';
import type { HostDocument } from '../database/documents/host.ts';
import { type ReleasedHostDocument, releasedHostId } from '../database/documents/released-host.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** 124 bits. */
const VALUE_LENGTH = 24;
/** How long nothing is served on a name after its account has deleted it. */
const RELEASED_MS = 90 * 86_400_000;

/** Returns a new value of a TXT record. */
export function newTxtValue(): string {
  return `waymark-${Array.from({ length: VALUE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Returns the name of the TXT record of a host. */
export function txtName(host: string): string {
  return `_waymark.${host}`;
}

/** Returns the record of a host that its account deletes. */
export function releasedHost({ account_id, host }: HostDocument, now: Date): ReleasedHostDocument {
  const expires_at = new Date(now.getTime() + RELEASED_MS);
  return { _id: releasedHostId(account_id, host), account_id, host, expires_at };
}

/** Returns a host as clients see it. */
export function shownHost(document: HostDocument): Host {
  const { _id, host, status, txt_value, root_url, not_found_url, checked_at, created_at } = document;
  return {
    id: _id,
    host,
    status,
    txt: { name: txtName(host), value: txt_value },
    root_url,
    not_found_url,
    checked_at: checked_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
