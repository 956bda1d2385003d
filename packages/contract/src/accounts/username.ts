export const USERNAME_MAX_LENGTH = 64;

/** Returns true for 1 to 64 letters, digits, `.`, `_` and `-`, with a letter or digit first. */
export function isUsername(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/i.test(text) && text.length <= USERNAME_MAX_LENGTH;
}
