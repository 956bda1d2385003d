import { randomInt } from 'node:crypto';
import type { Host, HostStatus } from '@waymark/contract';

/** A short host of an account as it is stored. Several accounts may wait for the same one; one has it verified. */
export interface HostDocument {
  /** See `newHostId`. The redirects of its links begin with it. */
  _id: string;
  account_id: string;
  /** See `shortHost`. */
  host: string;
  status: HostStatus;
  /** The value of the TXT record that proves it. */
  txt_value: string;
  root_url: string | null;
  not_found_url: string | null;
  /** When DNS last gave a clear answer, by the database's clock. */
  checked_at: Date | null;
  /** When the record of a verified host was first missing, by the database's clock. Null while it is there. */
  missing_since: Date | null;
  /** When the next daily look is due, by the database's clock. */
  look_at: Date;
  created_at: Date;
}

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
