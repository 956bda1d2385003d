import { randomBytes, scryptSync } from 'node:crypto';

/** Returns a password hash in the format of the service, made with lower costs so that tests can check many quickly. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  return `scrypt$10,8,1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}
