import { randomBytes, scryptSync } from 'node:crypto';

/** A password hash as the service stores it, made with less work, so that a test can check many in its time. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  return `scrypt$10,8,1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}
