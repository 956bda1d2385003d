import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
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
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return translateErrors(startRegistration({ optionsJSON }));
}

/**
 * Lets the user choose a passkey to sign in with, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function askForPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return translateErrors(startAuthentication({ optionsJSON }));
}

async function translateErrors(ceremony: Promise<object>): Promise<WebAuthnJson> {
  try {
    return (await ceremony) as WebAuthnJson;
  } catch (cause) {
    const { errors } = session.passkey;
    // The library keeps the names of the browser's errors.
    const name = cause instanceof Error ? cause.name : '';
    throw new PasskeyError(errors[name as keyof typeof errors] ?? errors.other, { cause });
  }
}
