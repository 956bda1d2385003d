import { AppError, refusedMessage, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { failureOf, readBody, sendFailure } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { jsonOf } from '../limits/request-count.ts';
import { ShortBody, type UpstreamResponse } from './attempt.ts';

/** The most that is read of a refused request without a valid key, so that reading costs little more than refusing. */
const UNPROVEN_BODY_MAX_BYTES = 16 * 1024;

/** Creates the counter of tool calls that {@link sendMcpFailure} refused. Their HTTP status does not tell. */
export function countRefusedCalls(registry: Registry): Counter<'status'> {
  const calls = new Counter({
    name: 'mcp_calls_refused_total',
    help: 'Requests with MCP tool calls that the gateway refused, by the HTTP status that they would have had over REST.',
    labelNames: ['status'],
    registers: [registry],
  });
  for (const status of [429, 503]) calls.labels(String(status)).inc(0);
  return calls;
}

/**
 * Sends an error of `/mcp`. A request that is refused with 429 or 503 gets a response that MCP clients show to a model
 * ({@link refusedMessage}); for that, its message is read if it was not yet. All other errors, and those of a message
 * that cannot be read, have the body of every error.
 */
export async function sendMcpFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { bodyLimitBytes, refusedCalls }: { bodyLimitBytes: number; refusedCalls: Counter<'status'> },
): Promise<FastifyReply> {
  const failure = failureOf(error, bodyLimitBytes);
  const isRefusal = request.method === 'POST' && (failure.httpStatus === 429 || failure.httpStatus === 503);
  if (!isRefusal) return sendFailure(failure, request, reply);
  const refused = refusedMessage(jsonOf(await bodyOf(request, bodyLimitBytes)), failure);
  if (refused?.status === 200) refusedCalls.labels(String(failure.httpStatus)).inc();
  return sendFailure(failure, request, reply, refused ?? undefined);
}

/** Returns the body, or undefined if it is too long or does not arrive. */
async function bodyOf(request: FastifyRequest, limitBytes: number): Promise<Buffer | undefined> {
  if (request.body !== undefined) return request.body as Buffer;
  const maxBytes = request.hasValidKey ? limitBytes : UNPROVEN_BODY_MAX_BYTES;
  return readBody(request.raw, maxBytes, request.headers['content-length']).catch(() => undefined);
}

/**
 * Returns the response of mcp-svc.
 * @throws {AppError} if it is 429 or 503: that is no response to a message, but an error before a message was read.
 */
export function requireMessage(response: UpstreamResponse): UpstreamResponse {
  const { statusCode, headers, body } = response;
  if (statusCode !== 429 && statusCode !== 503) return response;
  const { error } = (body instanceof ShortBody ? (jsonOf(body.bytes) ?? {}) : {}) as { error?: unknown };
  body.destroy();
  throw new AppError(
    statusCode === 429 ? 'rate_limited' : 'unavailable',
    typeof error === 'string' ? error : UNAVAILABLE_MESSAGE,
    { retryAfterSeconds: Number(headers['retry-after']) || 1 },
  );
}
