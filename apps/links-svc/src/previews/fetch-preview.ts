import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { untilAborted } from '@waymark/service-kit/until-aborted';
import { type Agent, request } from 'undici';
import { createGuardedAgent } from '../guarded-fetch/guarded-agent.ts';
import { createHostLookup, type HostLookup } from '../guarded-fetch/host-lookup.ts';
import { createAddressFilter } from '../guarded-fetch/public-address.ts';
import { decompressed } from './decompressed.ts';
import type { PageMeta } from './head-parser.ts';
import { PageMetaReader } from './page-meta.ts';

export interface PreviewFetcherOptions {
  /** Networks in CIDR notation that are allowed although they are not public (AUTO_META_ALLOW). */
  allow: readonly string[];
  /** The `User-Agent` header of requests. */
  userAgent: string;
  /** Resolves host names. Default: queries to the name servers. */
  lookup?: HostLookup;
}

export interface PreviewFetcher {
  /**
   * Returns the title and description of the page at a URL, cut to the limits of a link. A value is null if it could
   * not be read within 3 seconds, for whatever reason. Never rejects.
   */
  fetchPreview(url: string, signal?: AbortSignal): Promise<PageMeta>;
}

const TIMEOUT_MS = 3_000;
const MAX_REDIRECTS = 3;
const MAX_BYTES = 512 * 1_024;
const NOTHING: PageMeta = { title: null, description: null };

/**
 * Creates a fetcher that reads destination pages for `auto_meta` (docs/api.md, auto_meta). On every hop it connects
 * only to public or allowed addresses. It sends no cookies and no credentials, follows at most 3 redirects, and stops
 * after 512 KiB or 3 seconds. Throws on a malformed network in `allow`.
 */
export function createPreviewFetcher(options: PreviewFetcherOptions): PreviewFetcher {
  const isAllowed = createAddressFilter(options.allow);
  const lookup = options.lookup ?? createHostLookup();
  return {
    async fetchPreview(url, signal) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      // One agent for each page, so that no connection outlives the page or is reused for another name.
      const agent = createGuardedAgent(isAllowed, lookup, TIMEOUT_MS);
      try {
        return await readPage(url, agent, options.userAgent, ended);
      } catch {
        // Whatever the other server does, the link is created without a preview.
        return NOTHING;
      } finally {
        void agent.destroy();
      }
    },
  };
}

async function readPage(start: string, agent: Agent, userAgent: string, signal: AbortSignal): Promise<PageMeta> {
  let url = new URL(start);
  for (let redirects = 0; isFetchable(url); redirects += 1) {
    // A name lookup cannot be cancelled, only abandoned.
    const response = await untilAborted(
      request(url, {
        dispatcher: agent,
        signal,
        headers: {
          'user-agent': userAgent,
          accept: 'text/html, application/xhtml+xml',
          'accept-encoding': 'gzip, deflate, br',
        },
      }),
      signal,
    );
    const { statusCode, headers, body } = response;
    // Errors of the rest of the body no longer matter once it is abandoned.
    body.on('error', () => {});
    const location = statusCode >= 300 && statusCode < 400 ? headers.location : undefined;
    if (typeof location !== 'string') {
      const contentType = String(headers['content-type'] ?? '');
      const isPage =
        statusCode >= 200 && statusCode < 300 && /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(contentType);
      return isPage
        ? await readMeta(await decompressed(body, headers['content-encoding'], signal), contentType, signal)
        : NOTHING;
    }
    body.destroy();
    if (redirects === MAX_REDIRECTS) return NOTHING;
    url = new URL(asUtf8(location), url);
  }
  return NOTHING;
}

/** Returns the text of a header, which undici reads as Latin-1, as UTF-8 if it is that. Browsers do so for `Location`. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

function isFetchable(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

/**
 * Reads the first 512 KiB of the decompressed body. If it breaks off or takes too long, the part read so far counts.
 */
async function readMeta(body: Readable | null, contentType: string, signal: AbortSignal): Promise<PageMeta> {
  if (body === null) return NOTHING;
  const reader = new PageMetaReader(contentType);
  const stop = () => body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    let left = MAX_BYTES;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const bytes = chunk.subarray(0, left);
      left -= bytes.length;
      if (reader.write(bytes) || left === 0) break;
    }
  } catch {
    // The body broke off or took too long. The part read so far counts.
  } finally {
    signal.removeEventListener('abort', stop);
    body.destroy();
  }
  return reader.result();
}
