const OLD_AFTER_MS = 30_000;

/** Returns true if a link with this creation time must be announced as a change before it is added. */
export function isOldLink(createdAtMs: number): boolean {
  return Date.now() - createdAtMs > OLD_AFTER_MS;
}
