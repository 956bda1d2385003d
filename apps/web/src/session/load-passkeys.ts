import { loadScript } from '../api/no-response.ts';

/** Whether the browser has passkeys. It has none over plain HTTP, except on this machine. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

/**
 * Loads what makes and uses passkeys: it is larger than the sign-in page.
 * @throws {ApiError} that says why it does not load.
 */
export const loadPasskeys = () => loadScript(() => import('./passkeys.ts'));
