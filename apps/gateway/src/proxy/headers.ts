import type { IncomingHttpHeaders } from 'node:http';
import { IDENTITY_HEADER, REQUEST_ID_HEADER } from '@waymark/proto';
import type { FastifyRequest } from 'fastify';

/**
 * Headers that apply to one connection only (RFC 9110 section 7.6.1), and headers that only the gateway's own server
 * handles. Headers that `Connection` lists are hop-by-hop too.
 */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'http2-settings'],
]);

/** Headers in which a client claims an identity or an address. The gateway removes them and sends its own. */
const CLAIMS = new Set([
  'authorization',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
]);
const CLAIM_PREFIXES = /^x-(?:waymark|forwarded)-/;

/** Response headers that the gateway owns: it sets them itself or hides them. */
const SET_BY_GATEWAY = new Set(['date', 'server', 'x-powered-by', REQUEST_ID_HEADER, 'ratelimit', 'ratelimit-policy']);

const HIDDEN_PREFIXES = /^(?:access-control|x-waymark)-/;

/**
 * Returns the headers for the upstream service: the client's, without its claims, plus what the gateway knows. The
 * address is that of `X-Forwarded-For` only if a trusted proxy sent it. The length is that of the forwarded body.
 */
export function upstreamRequestHeaders({ headers, id, ip, caller }: FastifyRequest): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  const listed = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  for (const name of Object.keys(headers)) if (!isDropped(name) && !listed.includes(name)) passed[name] = headers[name];
  passed[REQUEST_ID_HEADER] = id;
  passed['x-forwarded-for'] = ip;
  if (caller !== undefined) passed[IDENTITY_HEADER] = caller.identity;
  return passed;
}

function isDropped(name: string): boolean {
  return HOP_BY_HOP.has(name) || CLAIMS.has(name) || name === 'content-length' || CLAIM_PREFIXES.test(name);
}

/** Returns the headers for the client: the service's, without hop-by-hop headers and those that the gateway owns. */
export function clientResponseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const passed: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) {
    if (HOP_BY_HOP.has(name) || SET_BY_GATEWAY.has(name) || HIDDEN_PREFIXES.test(name)) continue;
    passed[name] = headers[name];
  }
  return passed;
}
