import { LRUCache } from 'lru-cache';
import robotsParser, { type Robot } from 'robots-parser';
import { type Dispatcher, request } from 'undici';
import type { CheckStep } from '../database/documents/destination.ts';
import { createGuardedAgent, RefusedAddressError } from '../guarded-fetch/guarded-agent.ts';
import { createHostLookup, type HostLookup } from '../guarded-fetch/host-lookup.ts';
import { createAddressFilter } from '../guarded-fetch/public-address.ts';

export interface DestinationClientOptions {
  /** Networks in CIDR notation that are allowed although they are not public. */
  allow: readonly string[];
  userAgent: string;
  /** Resolves host names. Default: queries to the name servers. */
  lookup?: HostLookup;
  timeoutMs?: number;
}

/** What one request to a host gave. */
export type Answer =
  /** It read the robots.txt: ask again. */
  | { kind: 'again' }
  | { kind: 'response'; status: number }
  | { kind: 'redirect'; location: string }
  /** Nothing that another request would change. */
  | { kind: 'broken' | 'unknown' }
  /** There was no response in time, or none of HTTP. */
  | { kind: 'silent' };

const TIMEOUT_MS = 10_000;
/** RFC 9309, section 2.5: at least 500 KiB of a robots.txt are read. */
const ROBOTS_MAX_BYTES = 512 * 1_024;
/** RFC 9309, section 2.4: it is not used for longer than a day. */
const ROBOTS_TTL_MS = 86_400_000;
const ROBOTS_CACHE_BYTES = 16 * 1_024 * 1_024;

/**
 * Certificates that a browser refuses. A chain that lacks a certificate in the middle does not count, because browsers
 * find it elsewhere. https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const INVALID_CERTIFICATE = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
]);

/** The rules of an origin, with the bytes that they take. */
interface Rules {
  robot: Robot;
  bytes: number;
}

/**
 * A client that sends single requests to destinations: to public addresses only, without cookies and credentials, and as
 * robots.txt permits. It reads no body but that of a robots.txt.
 */
export class DestinationClient {
  readonly #options: DestinationClientOptions;
  readonly #timeoutMs: number;
  readonly #isAllowed: (address: string) => boolean;
  readonly #lookup: HostLookup;
  /** The rules of each origin. */
  readonly #rules = new LRUCache<string, Rules>({
    maxSize: ROBOTS_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: ROBOTS_TTL_MS,
  });

  /** Throws on a malformed network in `allow`. */
  constructor(options: DestinationClientOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#isAllowed = createAddressFilter(options.allow);
    this.#lookup = options.lookup ?? createHostLookup();
  }

  /** Sends one request at most: that of a check, or the one for the robots.txt if its rules are not known. */
  async ask({ url, method }: Pick<CheckStep, 'url' | 'method'>): Promise<Answer> {
    const { origin } = new URL(url);
    const known = this.#rules.get(origin);
    if (known === undefined) return this.#readRobots(origin);
    if (known.robot.isDisallowed(url, this.#options.userAgent)) return { kind: 'unknown' };
    return this.#request(url, method, async (response) => answerTo(response));
  }

  async #readRobots(origin: string): Promise<Answer> {
    const url = `${origin}/robots.txt`;
    return this.#request(url, 'GET', async ({ statusCode, body }) => {
      // Section 2.3.1: without a file all is permitted, and while the server fails nothing is.
      if (statusCode >= 500 || statusCode === 429) return { kind: 'unknown' };
      const text = statusCode >= 200 && statusCode < 300 ? await textOf(body, ROBOTS_MAX_BYTES) : '';
      this.#rules.set(origin, { robot: robotsParser(url, text), bytes: text.length + 1 });
      return { kind: 'again' };
    });
  }

  async #request(
    url: string,
    method: CheckStep['method'],
    read: (response: Dispatcher.ResponseData) => Promise<Answer>,
  ): Promise<Answer> {
    // One agent for each request, so that no connection is reused for another name.
    const agent = createGuardedAgent(this.#isAllowed, this.#lookup, this.#timeoutMs);
    try {
      const response = await request(url, {
        dispatcher: agent,
        method,
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: { 'user-agent': this.#options.userAgent, accept: '*/*' },
      });
      response.body.on('error', () => {});
      return await read(response);
    } catch (error) {
      return answerToFailure(error);
    } finally {
      void agent.destroy();
    }
  }
}

function answerTo({ statusCode: status, headers: { location } }: Dispatcher.ResponseData): Answer {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && typeof location === 'string';
  return isRedirect ? { kind: 'redirect', location } : { kind: 'response', status };
}

function answerToFailure(error: unknown): Answer {
  const { code } = error as { code?: string };
  if (error instanceof RefusedAddressError) return { kind: 'unknown' };
  if (code === 'ENOTFOUND' || (code !== undefined && INVALID_CERTIFICATE.has(code))) return { kind: 'broken' };
  return { kind: 'silent' };
}

/** Returns the beginning of a text. What breaks off counts as far as it came. */
async function textOf(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const piece of body) {
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
  } catch {
    // A server that breaks off its rules has said the others.
  }
  return Buffer.concat(pieces).toString();
}
