import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The only user of an embedded database. */
export interface Credentials {
  user: string;
  password: string;
}

/** Returns a user with a random name and password that cannot be guessed. */
export function randomCredentials(): Credentials {
  return { user: `user_${randomBytes(8).toString('hex')}`, password: randomBytes(32).toString('base64url') };
}

/**
 * Reads the user from the environment that the parent process sets.
 * @throws Error if user or password is missing: a database without a password is open to every user of the machine.
 */
export function credentialsIn({ DATABASE_USER, DATABASE_PASSWORD }: NodeJS.ProcessEnv): Credentials {
  if (!DATABASE_USER || !DATABASE_PASSWORD)
    throw new Error('DATABASE_USER and DATABASE_PASSWORD are required: the user that may connect.');
  return { user: DATABASE_USER, password: DATABASE_PASSWORD };
}

/** Compares two users in constant time. */
export function isSameUser(one: Credentials, other: Credentials): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest({ user, password }: Credentials): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([user, password]))
    .digest();
}
