import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { limitedAddress } from '@waymark/service-kit';
import { FairQueue } from '../fair-queue.ts';

/**
 * scrypt (RFC 7914) as OWASP's Password Storage Cheat Sheet asks for it: N = 2^14, r = 8, p = 5, which takes 16 MiB and
 * something over a tenth of a second. Written into every hash, so that a change here leaves the stored ones valid.
 */
const LOG2_N = 14;
const R = 8;
const P = 5;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * Three at a time of Node's four threads for such work, so that files and names go on being served. Visitors and
 * clients of the API do not wait for each other: a flood of guesses slows no creation. Within a lane, whoever floods
 * waits longest and is refused first.
 */
const MAX_WAITING = 100;
const accountsLane = new FairQueue({ concurrency: 1, maxWaiting: MAX_WAITING });
const visitorsLane = new FairQueue({ concurrency: 2, maxWaiting: MAX_WAITING });
/** How long a password may wait until it is checked. */
export const PASSWORD_WAIT_MAX_MS = 3_000;

/** A visitor of a protected link. */
export interface PasswordVisitor {
  /** Whose link it is. */
  accountId: string;
  linkId: string;
  /** The visitor's address. */
  address: string;
}

/**
 * A slow salted hash of a password of the account, as `scrypt$<log2 N>,<r>,<p>$<salt>$<hash>` in base64url.
 * @throws {AppError} `unavailable` where too many passwords are waiting.
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
 * True where the hash was made from the password that an account sent.
 * @throws {AppError} `unavailable` where too many passwords are waiting; any other error where the hash is malformed.
 */
export function verifyPassword(password: string, stored: string, accountId: string): Promise<boolean> {
  return accountsLane.run([accountId], () => isPasswordOf(password, stored), PASSWORD_WAIT_MAX_MS);
}

/**
 * True where the hash was made from the password that a visitor sent. Fair by account, by address and by link.
 * @throws {AppError} `unavailable` where it is not its turn within `maxWaitMs`, or too many passwords are waiting; any other
 *   error where the hash is malformed.
 */
export function verifyVisitorPassword(
  password: string,
  stored: string,
  { accountId, linkId, address }: PasswordVisitor,
  maxWaitMs: number,
): Promise<boolean> {
  const users = [`account ${accountId}`, `link ${linkId}`, `address ${limitedAddress(address)}`];
  return visitorsLane.run(users, () => isPasswordOf(password, stored), maxWaitMs);
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
