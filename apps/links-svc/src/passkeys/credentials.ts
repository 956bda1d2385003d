import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server';
import type { PasskeyDocument } from '../database/documents/passkey.ts';
import type { Challenge, ChallengePurpose, Challenges } from './challenges.ts';

const NAME = 'Waymark';
/** EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];
/** https://www.w3.org/TR/webauthn-3/#credential-id */
const CREDENTIAL_ID_MAX_BYTES = 1_023;
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Loads the library when the first passkey needs it: it takes 30 MB. */
const loadLibrary = () => import('@simplewebauthn/server');

type Transports = NonNullable<WebAuthnCredential['transports']>;

/** The account that a passkey is for. Its id becomes the user handle, which has no personal data. */
export interface Owner {
  accountId: string;
  username: string;
}

/** The ceremonies of WebAuthn for this site: with user verification, and with passkeys that name their account. */
export class Credentials {
  readonly #challenges: Challenges;
  readonly #origin: string;
  readonly #rpId: string;

  /** `apiUrl` is where the dashboard is. Its host is the RP id. */
  constructor(challenges: Challenges, apiUrl: string) {
    const { origin, hostname } = new URL(apiUrl);
    this.#challenges = challenges;
    this.#origin = origin;
    this.#rpId = hostname;
  }

  /** Returns the options to create a passkey with, on a device that has none of `existing`. */
  async creationOptions({ accountId, username }: Owner, existing: readonly PasskeyDocument[]) {
    const { generateRegistrationOptions } = await loadLibrary();
    return generateRegistrationOptions({
      rpName: NAME,
      rpID: this.#rpId,
      userName: username,
      userDisplayName: username,
      userID: new TextEncoder().encode(accountId),
      challenge: this.#challenges.create({ accountId }),
      attestationType: 'none',
      excludeCredentials: existing.map(({ credential_id, transports }) => ({
        id: credential_id,
        transports: transports as Transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** Returns the options to sign in with. They name no passkey: the browser offers those of this site. */
  async requestOptions() {
    const { generateAuthenticationOptions } = await loadLibrary();
    return generateAuthenticationOptions({
      rpID: this.#rpId,
      challenge: this.#challenges.create('sign-in'),
      userVerification: 'required',
    });
  }

  /**
   * Returns a new credential and the challenge that it answers.
   * @throws {Error} if anything is wrong with the response.
   */
  async verifyNew(
    accountId: string,
    sent: Record<string, unknown>,
  ): Promise<{ credential: WebAuthnCredential; challenge: Challenge }> {
    const response = sent as unknown as RegistrationResponseJSON;
    await checkAttestation(response);
    const { verifyRegistrationResponse } = await loadLibrary();
    const expected = this.#expected({ accountId });
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...expected.options,
      expectedType: 'webauthn.create',
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (registrationInfo === undefined) throw new Error('the attestation is wrong');
    const { credential } = registrationInfo;
    if (response.id !== credential.id) throw new Error('the response names another credential');
    if (Buffer.from(credential.id, 'base64url').length > CREDENTIAL_ID_MAX_BYTES)
      throw new Error('the id of the credential is too long');
    const transports = TRANSPORTS.filter((one) => response.response.transports?.includes(one as Transports[number]));
    return { credential: { ...credential, transports: transports as Transports }, challenge: expected.answered() };
  }

  /**
   * Returns the counter of a credential that signed a challenge, and the challenge.
   * @throws {Error} if anything is wrong with the response.
   */
  async verifySignIn(
    passkey: PasskeyDocument,
    sent: Record<string, unknown>,
  ): Promise<{ counter: number; challenge: Challenge }> {
    const response = sent as unknown as AuthenticationResponseJSON;
    if (response.response.userHandle !== Buffer.from(passkey.account_id).toString('base64url'))
      throw new Error('the user handle is not that of the account');
    const { verifyAuthenticationResponse } = await loadLibrary();
    const expected = this.#expected('sign-in');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...expected.options,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key.buffer),
        counter: passkey.counter,
      },
    });
    if (!verified) throw new Error('the signature is wrong');
    return { counter: authenticationInfo.newCounter, challenge: expected.answered() };
  }

  /** Returns what a response must be for, and the function that returns the challenge which it answered. */
  #expected(purpose: ChallengePurpose) {
    let answered: Challenge | null = null;
    const options = {
      expectedChallenge: (challenge: string) => {
        answered = this.#challenges.read(challenge, purpose);
        return answered !== null;
      },
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      requireUserVerification: true,
    };
    return { options, answered: () => answered! };
  }
}

/**
 * Refuses an attestation with certificates. The options ask for none, so browsers send none, and checking them may fetch
 * lists of revoked ones from addresses that they name.
 * @throws {Error} also if it cannot be read.
 */
async function checkAttestation({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  const isSelfSigned = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfSigned) throw new Error('the attestation is not one that was asked for');
}
