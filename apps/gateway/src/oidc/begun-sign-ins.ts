import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** What the gateway must know of a sign-in when the browser comes back from the provider. */
export interface BegunSignIn {
  nonce: string;
  /** The verifier of PKCE. */
  codeVerifier: string;
  /** The challenge of the browser that began. */
  challenge: string;
}

const LIFETIME = '10m';
/** The clocks of two gateways may differ by so much. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * Keeps sign-ins that were begun in the `state` that goes to the provider and back, encrypted: the gateway stores nothing,
 * another one may finish what this one began, and nobody else can make or read one.
 */
export class BegunSignIns {
  readonly #keys: readonly Uint8Array[];

  /** The first secret encrypts. States of the others work, too. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'waymark oidc state', 32)));
  }

  /** Returns the state of a sign-in. It lasts 10 minutes. */
  seal(begun: BegunSignIn): Promise<string> {
    return new EncryptJWT({ ...begun })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(LIFETIME)
      .encrypt(this.#keys[0]!);
  }

  /** Returns the sign-in of a state, or null if it has expired or is not one of ours. */
  async open(state: string): Promise<BegunSignIn | null> {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtDecrypt<BegunSignIn>(state, key, {
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ['exp'],
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return payload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    return null;
  }
}
