import { session } from '../texts/session.ts';

type WebAuthnJson = Record<string, unknown>;

/** Whether the browser has passkeys. It has none over plain HTTP, except on this machine. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

/** No passkey was made or used. `message` is for the user. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/**
 * Lets the user make a passkey, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function createPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  return responseOf(() => {
    const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) });
  });
}

/**
 * Lets the user choose a passkey to sign in with, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function askForPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  return responseOf(() => {
    const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) });
  });
}

async function responseOf(ask: () => Promise<Credential | null>): Promise<WebAuthnJson> {
  try {
    return { ...((await ask()) as PublicKeyCredential).toJSON() };
  } catch (cause) {
    const { errors } = session.passkey;
    const name = cause instanceof Error ? cause.name : '';
    throw new PasskeyError(errors[name as keyof typeof errors] ?? errors.other, { cause });
  }
}
