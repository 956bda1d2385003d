import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The one user of an embedded database. */
export interface Credentials {
  user: string;
  password: string;
}

/** A user that nobody can guess. */
export function randomCredentials(): Credentials {
  return { user: `user_${randomBytes(8).toString('hex')}`, password: randomBytes(32).toString('base64url') };
}

/**
 * The user that the process which starts the database wants it to have.
 * @throws Error where it names none: a database without a password is open to every user of the machine.
 */
export function credentialsIn({ DATABASE_USER, DATABASE_PASSWORD }: NodeJS.ProcessEnv): Credentials {
  if (!DATABASE_USER || !DATABASE_PASSWORD)
    throw new Error('DATABASE_USER and DATABASE_PASSWORD are needed: the user that may connect');
  return { user: DATABASE_USER, password: DATABASE_PASSWORD };
}

/** True where both are the same, in a time that does not depend on where they differ. */
export function isSameUser(one: Credentials, other: Credentials): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest({ user, password }: Credentials): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([user, password]))
    .digest();
}
