import { dropPasskeyOffer } from '../api/session-store.ts';
import { readItem, writeItem } from '../api/site-data.ts';

const keyOf = (username: string) => `waymark.no-passkey.${username}`;

/** Returns true if this browser may offer a passkey to an account: nobody has said “Not now” to it. */
export function mayOfferPasskey(username: string): boolean {
  return readItem('localStorage', keyOf(username)) === null;
}

/** Ends the offer, and remembers that it is not wanted for this account. */
export function declinePasskey(username: string): void {
  writeItem('localStorage', keyOf(username), 'declined');
  dropPasskeyOffer();
}
