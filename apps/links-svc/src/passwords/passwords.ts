import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { FairQueue, rateLimitKey } from '@waymark/service-kit';
import { RightPasswords } from './right-passwords.ts';

/**
 * The costs of scrypt (RFC 7914) from OWASP's Password Storage Cheat Sheet: N = 2^14, r = 8, p = 5, which needs 16 MiB.
 * Every hash contains them, so that stored hashes stay valid when they change.
 */
const LOG2_N = 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * Both lanes together use three of Node's four threads for such work, so that files and name lookups are still served.
 * The lanes are separate so that a flood of guesses by visitors does not slow down clients of the API. Within a lane,
 * whoever floods it waits longest and is refused first. A flood by one user takes one of the visitors' threads.
 */
const MAX_WAITING = 100;
const accountsLane = new FairQueue({ concurrency: 1, maxWaiting: MAX_WAITING });
const visitorsLane = new FairQueue({ concurrency: 2, concurrencyOfUser: 1, maxWaiting: MAX_WAITING });
const rightPasswords = new RightPasswords();
/** How long a password may wait before it is checked. */
export const PASSWORD_WAIT_MAX_MS = 3_000;

/** A visitor of a protected link. */
export interface PasswordVisitor {
  /** The account that owns the link. */
  accountId: string;
  linkId: string;
  /** The visitor's IP address. */
  address: string;
}

/**
 * Returns a slow salted hash of an account's password, as `scrypt$<log2 N>,<r>,<p>$<salt>$<hash>` with salt and hash in
 * base64url.
 * @throws {AppError} `unavailable` if too many passwords are waiting or the wait is too long.
 */
export async function hashPassword(password: string, accountId: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await accountsLane.run(
    [accountId],
    () => derive(password, salt, HASH_BYTES, LOG2_N, R, P),
    PASSWORD_WAIT_MAX_MS,
  );
  return `scrypt$${LOG2_N},${R},${P}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Returns true if the hash was made from the password that an account sent.
 * @throws {AppError} `unavailable` if too many passwords are waiting or the wait is too long. Any other error if the
 *   hash is malformed.
 */
export function verifyPassword(password: string, stored: string, accountId: string): Promise<boolean> {
  return accountsLane.run([accountId], () => isPasswordOf(password, stored), PASSWORD_WAIT_MAX_MS);
}

/**
 * Returns true if the hash was made from the password that a visitor sent. The queue is fair to accounts, addresses and
 * links.
 * @throws {AppError} `unavailable` if its turn does not come within `maxWaitMs`, or if too many passwords are waiting.
 *   Any other error if the hash is malformed.
 */
export async function verifyVisitorPassword(
  password: string,
  stored: string,
  { accountId, linkId, address }: PasswordVisitor,
  maxWaitMs: number,
): Promise<boolean> {
  if (rightPasswords.has(password, stored)) return true;
  const users = [`account ${accountId}`, `link ${linkId}`, `address ${rateLimitKey(address)}`];
  const check = async () => {
    // Another visitor may have entered it meanwhile.
    if (rightPasswords.has(password, stored)) return true;
    const isRight = await isPasswordOf(password, stored);
    if (isRight) rightPasswords.add(password, stored);
    return isRight;
  };
  return visitorsLane.run(users, check, maxWaitMs);
}

async function isPasswordOf(password: string, stored: string): Promise<boolean> {
  const match = /^scrypt\$(\d+),(\d+),(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored);
  if (match === null) throw new Error('a stored password hash is malformed');
  const [logN, r, p] = match.slice(1, 4).map(Number) as [number, number, number];
  const expected = Buffer.from(match[5]!, 'base64url');
  const actual = await derive(password, Buffer.from(match[4]!, 'base64url'), expected.length, logN, r, p);
  return timingSafeEqual(actual, expected);
}

function derive(password: string, salt: Buffer, length: number, logN: number, r: number, p: number): Promise<Buffer> {
  const N = 2 ** logN;
  const options: ScryptOptions = { N, r, p, maxmem: 128 * r * (N + p + 2) };
  return new Promise((resolve, reject) => {
    // Composed, so that the same characters typed on another keyboard are the same password.
    scrypt(password.normalize('NFC'), salt, length, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    );
  });
}
