/** Returns a new `Idempotency-Key`. Unlike `crypto.randomUUID`, this also works in pages over plain HTTP. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
