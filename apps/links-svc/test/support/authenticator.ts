import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** Flags of authenticator data (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What a response has other than it should. */
export interface Changes {
  type?: string;
  challenge?: string;
  origin?: string;
  rpId?: string;
  isPresent?: boolean;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** The attestation. Default: none. */
  attestation?: { format: string; statement: Map<string, unknown> };
}

export type WebAuthnJson = Record<string, unknown> & { response: Record<string, string> };

/** A software authenticator with one passkey (ES256), for a page of `https://api.example`. */
export class Authenticator {
  readonly credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #coseKey: Uint8Array;
  #userHandle = '';
  /** The signature counter. Undefined for an authenticator that has none and sends 0. */
  #counter: number | undefined;

  constructor({ counter }: { counter?: number } = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    this.#coseKey = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
      ]),
    );
    this.#counter = counter;
  }

  /** Returns the response of `navigator.credentials.create` to options. */
  create(options: { challenge: string; user: { id: string } }, changes: Changes = {}): WebAuthnJson {
    this.#userHandle = options.user.id;
    const { format, statement } = changes.attestation ?? { format: 'none', statement: new Map() };
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, this.#coseKey]);
    const authData = new Uint8Array(Buffer.concat([this.#authenticatorData(HAS_CREDENTIAL, changes), credential]));
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authData],
      ]) as never,
    );
    return this.#response({
      clientDataJSON: base64url(clientData('webauthn.create', options.challenge, changes)),
      attestationObject: base64url(attestationObject),
    });
  }

  /** Returns the response of `navigator.credentials.get` to options. */
  get(options: { challenge: string }, changes: Changes = {}): WebAuthnJson {
    if (this.#counter !== undefined) this.#counter += 1;
    const authenticatorData = this.#authenticatorData(0, changes);
    const clientDataJSON = clientData('webauthn.get', options.challenge, changes);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    return this.#response({
      clientDataJSON: base64url(clientDataJSON),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(sign('sha256', signed, this.#privateKey)),
      userHandle: changes.userHandle ?? this.#userHandle,
    });
  }

  #response(response: Record<string, string>): WebAuthnJson {
    const id = base64url(this.credentialId);
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #authenticatorData(flags: number, changes: Changes): Buffer {
    const { rpId = 'api.example', isPresent = true, isVerified = true, counter = this.#counter ?? 0 } = changes;
    const counterBytes = Buffer.alloc(4);
    counterBytes.writeUInt32BE(counter);
    const all = flags | (isPresent ? USER_PRESENT : 0) | (isVerified ? USER_VERIFIED : 0);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([all]), counterBytes]);
  }
}

function clientData(type: string, challenge: string, changes: Changes): Buffer {
  const data = { type, challenge, origin: 'https://api.example', crossOrigin: false };
  const { type: otherType, challenge: otherChallenge, origin } = changes;
  return Buffer.from(
    JSON.stringify({
      ...data,
      ...(otherType && { type: otherType }),
      ...(otherChallenge && { challenge: otherChallenge }),
      ...(origin && { origin }),
    }),
  );
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
