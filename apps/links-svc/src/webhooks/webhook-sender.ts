import { untilAborted } from '@waymark/service-kit/until-aborted';
import { type Agent, request } from 'undici';
import { createGuardedAgent, RefusedAddressError } from '../guarded-fetch/guarded-agent.ts';
import { createHostLookup, type HostLookup } from '../guarded-fetch/host-lookup.ts';
import type { WebhookAddresses } from './webhook-addresses.ts';

export interface WebhookSenderOptions {
  addresses: Pick<WebhookAddresses, 'filters'>;
  /** How long a receiver has to respond. Default: 15 seconds. */
  timeoutMs?: number | undefined;
  /** Resolves host names. Default: queries to the name servers. */
  lookup?: HostLookup | undefined;
}

/** What became of an attempt. `status` is null without a response, and `error` null after a `2xx`. */
export interface Sent {
  status: number | null;
  error: string | null;
  /** What `Retry-After` asks for. */
  retryAfterMs: number;
}

const TIMEOUT_MS = 15_000;
/** A response may say so much more before its connection is closed. */
const BODY_MAX_BYTES = 16_384;
const BODY_MAX_MS = 1_000;
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;
const USER_AGENT = 'Waymark/1.0 (webhook)';

/**
 * Sends deliveries. It connects only to addresses that are allowed, follows no redirect, and reads no response further than
 * its status.
 */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #agents: Record<'https:' | 'http:', Agent>;

  constructor({ addresses, timeoutMs = TIMEOUT_MS, lookup = createHostLookup() }: WebhookSenderOptions) {
    this.#timeoutMs = timeoutMs;
    const agent = (protocol: 'https:' | 'http:') => createGuardedAgent(addresses.filters[protocol], lookup, timeoutMs);
    this.#agents = { 'https:': agent('https:'), 'http:': agent('http:') };
  }

  /** Sends a body and returns what became of it, or null if `signal` aborted first. Never rejects. */
  async send(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Sent | null> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { protocol } = new URL(url);
      const ended = AbortSignal.any([signal, timeout]);
      // A name lookup cannot be cancelled, only abandoned.
      const response = await untilAborted(
        request(url, {
          method: 'POST',
          dispatcher: this.#agents[protocol as 'https:' | 'http:'],
          headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...headers },
          body,
          signal: ended,
        }),
        ended,
      );
      const { statusCode: status } = response;
      const rest = AbortSignal.any([ended, AbortSignal.timeout(BODY_MAX_MS)]);
      await response.body.dump({ limit: BODY_MAX_BYTES, signal: rest }).catch(() => response.body.destroy());
      const error = status >= 200 && status < 300 ? null : `The receiver answered ${status}.`;
      return { status, error, retryAfterMs: retryAfterMs(response.headers['retry-after']) };
    } catch (error) {
      if (signal.aborted) return null;
      const words = timeout.aborted ? `No response within ${this.#timeoutMs / 1_000} seconds.` : wordsOf(error);
      return { status: null, error: words, retryAfterMs: 0 };
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((agent) => agent.destroy()));
  }
}

/** Says why there is no response, in one of a few sentences: nothing of the other side is shown. */
function wordsOf(error: unknown): string {
  if (error instanceof RefusedAddressError) return 'The URL does not lead to a public address.';
  const code = String((error as { code?: unknown }).code ?? '');
  if (/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code)) return 'The certificate is not valid.';
  if (/^UND_ERR_(CONNECT|HEADERS)_TIMEOUT$/.test(code)) return 'The receiver did not respond in time.';
  return 'The connection failed.';
}

/** Returns the time of a `Retry-After`, which is in seconds or a date, up to a day. */
function retryAfterMs(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
