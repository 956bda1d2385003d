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
   * @throws {AppError} `unauthenticated` if the token is missing, altered or signed with another key. `unavailable` if its
   *   time is too early or too late: the clocks of the services differ.
   */
  verify(token: string | undefined): Promise<Identity>;
}

const ISSUER = 'waymark';
const AUDIENCE = 'waymark-services';
const LIFETIME_SECONDS = 60;
const REUSED_FOR_MS = (LIFETIME_SECONDS / 2) * 1_000;
/** The clocks of two machines may differ by 60 seconds (ADR 52). The rest is for rounding and for the transmission. */
const CLOCK_TOLERANCE_SECONDS = 65;
const CACHED_TOKENS_MAX = 10_000;
const SECRET_MIN_LENGTH = 32;

/** Creates a signer with the current key. Tokens use HS256, live for one minute and are cached per identity. */
export function createSigner(keys: SigningKeys): Signer {
  const key = signingKey(keys.current);
  const minted = new LRUCache<string, { token: Promise<string>; atMs: number }>({ max: CACHED_TOKENS_MAX });
  return {
    mint(identity) {
      const claims = claimsOf(identity);
      const cacheKey = JSON.stringify(claims);
      const cached = minted.get(cacheKey);
      const now = Date.now();
      // The clock may have been set back.
      if (cached !== undefined && Math.abs(now - cached.atMs) < REUSED_FOR_MS) return cached.token;
      const token = new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: key.id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS}s`)
        .sign(key.secret);
      minted.set(cacheKey, { token, atMs: now });
      return token;
    },
  };
}

/** Creates a verifier that accepts the current and the previous key. It caches tokens as long as they are valid. */
export function createVerifier(keys: SigningKeys): Verifier {
  const known = [keys.current, keys.previous].filter((secret) => secret !== undefined).map(signingKey);
  const verified = new LRUCache<string, { identity: Identity; signedAtMs: number }>({ max: CACHED_TOKENS_MAX });

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
        maxTokenAge: LIFETIME_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      },
    );
    const identity = identityOfClaims(payload);
    if (identity === null) throw new errors.JWTInvalid('The claims name no identity');
    verified.set(token, { identity, signedAtMs: payload.iat! * 1_000 });
    return identity;
  }

  return {
    async verify(token) {
      if (token === undefined || token === '') throw unauthenticated();
      const cached = verified.get(token);
      if (cached !== undefined) {
        if (isOfNow(cached.signedAtMs)) return cached.identity;
        verified.delete(token);
      }
      try {
        return await check(token);
      } catch (cause) {
        throw clocksDiffer(cause) ?? unauthenticated(cause);
      }
    },
  };
}

function isOfNow(signedAtMs: number): boolean {
  const age = Date.now() - signedAtMs;
  return age >= -CLOCK_TOLERANCE_SECONDS * 1_000 && age < (LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS) * 1_000;
}

/**
 * Returns the error for a token that has a valid signature but whose time is too early or too late, or null for other
 * faults. A caller sends a token for at most {@link REUSED_FOR_MS}. If it is older, the caller's clock is behind by at
 * least the rest of its age.
 */
function clocksDiffer(cause: unknown): AppError | null {
  const isOfOtherTime =
    cause instanceof errors.JWTExpired || (cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'iat');
  const { iat } = isOfOtherTime ? cause.payload : {};
  if (iat === undefined) return null;
  const age = Math.floor(Date.now() / 1_000) - iat;
  const [seconds, direction] = age < 0 ? [-age, 'ahead of'] : [age - REUSED_FOR_MS / 1_000, 'behind'];
  return new AppError(
    'unavailable',
    `The clocks of this service's machines differ by at least ${seconds} seconds; at most 60 work. Set them to the same time.`,
    { cause: new Error(`the caller's clock is ${direction} this one by at least ${seconds} seconds`) },
  );
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
