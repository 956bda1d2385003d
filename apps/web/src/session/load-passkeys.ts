import { shared } from '../texts/shared.ts';

/** Whether the browser has passkeys. It has none over plain HTTP, except on this machine. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

/**
 * Loads what makes and uses passkeys: it is larger than the sign-in page.
 * @throws {Error} for the user, if the server has that script no more.
 */
export async function loadPasskeys() {
  try {
    return await import('./passkeys.ts');
  } catch (cause) {
    throw new Error(shared.crashed.text, { cause });
  }
}
