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
  return perform(() => {
    const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) });
  });
}

/**
 * Lets the user choose a passkey to sign in with, and returns the response for the API.
 * @throws {PasskeyError}
 */
export function askForPasskey(options: WebAuthnJson): Promise<WebAuthnJson> {
  return perform(() => {
    const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) });
  });
}

/** Tells the device that a passkey is unknown here, so that it is not offered again. Not every browser can. */
export async function signalUnknown({ rpId }: WebAuthnJson, { id }: WebAuthnJson): Promise<void> {
  await PublicKeyCredential.signalUnknownCredential?.({ rpId: String(rpId), credentialId: String(id) });
}

/** Tells the device which passkeys the account has: those that the options for a new one exclude. */
export async function signalAccepted(options: WebAuthnJson): Promise<void> {
  const { rp, user, excludeCredentials } = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  await PublicKeyCredential.signalAllAcceptedCredentials?.({
    rpId: rp.id!,
    userId: user.id,
    allAcceptedCredentialIds: excludeCredentials?.map(({ id }) => id) ?? [],
  });
}

async function perform(ceremony: () => Promise<Credential | null>): Promise<WebAuthnJson> {
  try {
    return { ...((await ceremony()) as PublicKeyCredential).toJSON() };
  } catch (cause) {
    const { errors } = session.passkey;
    const name = cause instanceof Error ? cause.name : '';
    throw new PasskeyError(errors[name as keyof typeof errors] ?? errors.other, { cause });
  }
}
