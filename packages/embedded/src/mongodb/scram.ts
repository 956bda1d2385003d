import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../credentials.ts';
import { CommandError } from './errors.ts';

export const MECHANISM = 'SCRAM-SHA-256';

/**
 * The minimum that drivers accept. More iterations would only protect passwords that can be guessed; these are random.
 */
const ITERATIONS = 4096;

/** What a server stores of a password (RFC 5802, section 3). */
export interface ScramUser {
  name: string;
  salt: Buffer;
  storedKey: Buffer;
  serverKey: Buffer;
}

/** Derives the stored keys of the only user that may log in. */
export function scramUser({ user, password }: Credentials): ScramUser {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  return {
    name: user,
    salt,
    storedKey: createHash('sha256').update(hmac(salted, 'Client Key')).digest(),
    serverKey: hmac(salted, 'Server Key'),
  };
}

/** The login of one connection by SCRAM-SHA-256 (RFC 5802, RFC 7677). Every failure is AuthenticationFailed (18). */
export class ScramLogin {
  readonly user: ScramUser;
  /** Whether the client has proved that it knows the password. */
  done = false;
  private conversation: { clientFirst: string; serverFirst: string; nonce: string } | undefined;

  constructor(user: ScramUser) {
    this.user = user;
  }

  /** Processes the client's first message and returns the server's. */
  start(message: string): string {
    const [, clientFirst, name, clientNonce] = /^n,,(n=([^,]+),r=([^,]+))$/.exec(message) ?? [];
    if (clientFirst === undefined || decodeName(name as string) !== this.user.name) throw failure();
    const nonce = `${clientNonce}${randomBytes(24).toString('base64')}`;
    const serverFirst = `r=${nonce},s=${this.user.salt.toString('base64')},i=${ITERATIONS}`;
    this.conversation = { clientFirst, serverFirst, nonce };
    return serverFirst;
  }

  /** Verifies the client's proof, completes the login, and returns the server's own proof. */
  finish(message: string): string {
    const { conversation } = this;
    this.conversation = undefined;
    const [, withoutProof, nonce, proof] = /^(c=biws,r=([^,]+)),p=([A-Za-z0-9+/=]+)$/.exec(message) ?? [];
    if (!conversation || nonce !== conversation.nonce) throw failure();
    const exchange = `${conversation.clientFirst},${conversation.serverFirst},${withoutProof}`;
    const signature = hmac(this.user.storedKey, exchange);
    const sent = Buffer.from(proof as string, 'base64');
    if (sent.length !== signature.length) throw failure();
    const clientKey = sent.map((byte, at) => byte ^ (signature[at] as number));
    if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), this.user.storedKey)) throw failure();
    this.done = true;
    return `v=${hmac(this.user.serverKey, exchange).toString('base64')}`;
  }
}

function decodeName(name: string): string {
  return name.replaceAll('=2C', ',').replaceAll('=3D', '=');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function failure(): CommandError {
  return new CommandError(18, 'Authentication failed.');
}
