import type { IncomingHttpHeaders } from 'node:http';
import { IDENTITY_HEADER, REQUEST_ID_HEADER } from '@waymark/proto';

/**
 * Headers of one connection (RFC 9110 section 7.6.1; so are those that its `Connection` header lists), and those that
 * only the gateway's own server answers to.
 */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
]);

/** What a client says about who it is and where it comes from: only the gateway's word on it goes further. */
const CLAIMS = new Set([
  'authorization',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
]);
const CLAIM_PREFIXES = ['x-waymark-', 'x-forwarded-'];

/** What is true of the request to the gateway only. */
const REMADE = new Set(['host', 'content-length']);

/** What a service behind says that is the gateway's to say. */
const ANSWERED_HERE = new Set(['date', 'server', 'x-powered-by', REQUEST_ID_HEADER, 'ratelimit', 'ratelimit-policy']);

/** What the gateway knows about a request. */
export interface RequestFacts {
  requestId: string;
  /** The client's address, as far as the proxies in front are trusted. */
  address: string;
  /** The signed identity; none on routes that are open. */
  identityToken: string | undefined;
  /** Length of the body that is passed on; undefined where there is none. */
  bodyLength: number | undefined;
}

/** The headers for the service behind: the client's, without what it must not claim, and with what the gateway knows. */
export function upstreamRequestHeaders(headers: IncomingHttpHeaders, facts: RequestFacts): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  const listed = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  for (const [name, value] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || listed.includes(name) || CLAIMS.has(name) || REMADE.has(name)) continue;
    if (CLAIM_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    passed[name] = value;
  }
  passed[REQUEST_ID_HEADER] = facts.requestId;
  passed['x-forwarded-for'] = facts.address;
  if (facts.identityToken !== undefined) passed[IDENTITY_HEADER] = facts.identityToken;
  if (facts.bodyLength !== undefined) passed['content-length'] = String(facts.bodyLength);
  return passed;
}

/** The headers for the client: the service's, without those of its connection and those that the gateway sends itself. */
export function clientResponseHeaders<Headers extends object>(headers: Headers): Headers {
  const passed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || ANSWERED_HERE.has(name)) continue;
    if (name.startsWith('access-control-') || name.startsWith('x-waymark-')) continue;
    passed[name] = value;
  }
  return passed as Headers;
}
