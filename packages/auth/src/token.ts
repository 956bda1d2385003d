import { createHash } from 'node:crypto';
import { AppError, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { claimsOf, type Identity, identityOfClaims } from './identity.ts';

/** The secrets that sign identities, the same in all services. `previous` is still accepted during a rotation. */
export interface SigningKeys {
  /** At least 32 characters. */
  current: string;
  previous?: string | undefined;
}

/** Signs identities. */
export interface Signer {
  /** Returns a token that is valid for about 30 more seconds or longer. Reuses tokens for half of their lifetime. */
  mint(identity: Identity): Promise<string>;
}

/** Accepts identities that a {@link Signer} with one of the same keys has signed. */
export interface Verifier {
  /**
   * Returns the identity of a token.
   * @throws {AppError} `unauthenticated` if the token is missing, expired, altered or signed with another key.
   */
  verify(token: string | undefined): Promise<Identity>;
}

const ISSUER = 'waymark';
const AUDIENCE = 'waymark-services';
const LIFETIME_SECONDS = 60;
/** How far the clocks of two machines may differ. */
const CLOCK_TOLERANCE_SECONDS = 5;
const CACHED_TOKENS_MAX = 10_000;
const SECRET_MIN_LENGTH = 32;

/** Creates a signer with the current key. Tokens use HS256, live for one minute and are cached per identity. */
export function createSigner(keys: SigningKeys): Signer {
  const key = signingKey(keys.current);
  const minted = new LRUCache<string, Promise<string>>({
    max: CACHED_TOKENS_MAX,
    ttl: (LIFETIME_SECONDS / 2) * 1000,
    ttlResolution: 0,
    perf: Date,
  });
  return {
    mint(identity) {
      const claims = claimsOf(identity);
      const cacheKey = JSON.stringify(claims);
      const cached = minted.get(cacheKey);
      if (cached !== undefined) return cached;
      const token = new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: key.id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS}s`)
        .sign(key.secret);
      minted.set(cacheKey, token);
      return token;
    },
  };
}

/** Creates a verifier that accepts the current and the previous key. It caches valid tokens until they expire. */
export function createVerifier(keys: SigningKeys): Verifier {
  const known = [keys.current, keys.previous].filter((secret) => secret !== undefined).map(signingKey);
  const verified = new LRUCache<string, { identity: Identity; expiresAtMs: number }>({ max: CACHED_TOKENS_MAX });

  async function check(token: string): Promise<Identity> {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = known.find(({ id }) => id === kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key.secret;
      },
      {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'iat', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      },
    );
    const identity = identityOfClaims(payload);
    if (identity === null) throw new errors.JWTInvalid('The claims name no identity');
    verified.set(token, { identity, expiresAtMs: payload.exp! * 1000 });
    return identity;
  }

  return {
    async verify(token) {
      if (token === undefined || token === '') throw unauthenticated();
      const cached = verified.get(token);
      if (cached !== undefined) {
        if (Date.now() < cached.expiresAtMs) return cached.identity;
        verified.delete(token);
      }
      try {
        return await check(token);
      } catch (cause) {
        throw unauthenticated(cause);
      }
    },
  };
}

function unauthenticated(cause?: unknown): AppError {
  return new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE, { cause });
}

/** Returns the secret as bytes, and its id. Every token header shows the id, so it must not reveal the secret. */
function signingKey(secret: string): { id: string; secret: Uint8Array } {
  if (secret.length < SECRET_MIN_LENGTH) {
    throw new Error(`A signing key must have at least ${SECRET_MIN_LENGTH} characters.`);
  }
  const id = createHash('sha256').update('waymark signing key id\0').update(secret).digest('base64url').slice(0, 12);
  return { id, secret: new TextEncoder().encode(secret) };
}
