import { randomInt } from 'node:crypto';
import type { Host } from '@waymark/contract';
import type { HostDocument } from '../database/documents/host.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** 124 bits. */
const VALUE_LENGTH = 24;

/** Returns a new value of a TXT record. */
export function newTxtValue(): string {
  return `waymark-${Array.from({ length: VALUE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Returns the name of the TXT record of a host. */
export function txtName(host: string): string {
  return `_waymark.${host}`;
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
