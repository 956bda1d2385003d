import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { session } from '../texts/session.ts';

type WebAuthnJson = Record<string, unknown>;

/** No passkey was made or used. `message` is for the user. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
}

/** Whether the browser has passkeys. It has none over plain HTTP, except on this machine. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis;

/**
 * Lets the user make a passkey, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function createPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  return run(async ({ startRegistration }) =>
    startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }),
  );
}

/**
 * Lets the user choose a passkey to sign in with, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function askForPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  return run(async ({ startAuthentication }) =>
    startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }),
  );
}

async function run(ceremony: (library: typeof import('@simplewebauthn/browser')) => Promise<object>) {
  const library = await import('@simplewebauthn/browser');
  try {
    return (await ceremony(library)) as WebAuthnJson;
  } catch (cause) {
    const { errors } = session.passkey;
    // The library keeps the names of the browser's errors.
    const name = cause instanceof Error ? cause.name : '';
    throw new PasskeyError(errors[name as keyof typeof errors] ?? errors.other, { cause });
  }
}
