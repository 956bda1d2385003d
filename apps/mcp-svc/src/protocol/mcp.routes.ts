import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { requireAccount } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { clientGone, failureOf, respondInTime, sendFailure } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallTool } from '../tools/call-tool.ts';
import { removeAbsentValues } from './absent-values.ts';
import { type Answer, PARSE_ERROR, refusal } from './answer.ts';
import { createHandshakeRevisions, isHandshake } from './handshake-revisions.ts';
import { headerOf } from './request-headers.ts';
import { createRevision2026 } from './revision-2026.ts';
import { parseArguments } from './text-arguments.ts';

const BODY_LIMIT_BYTES = 256 * 1024;
/** `fatal`: invalid UTF-8 must be an error, not replaced text. The decoder drops a byte-order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

export interface McpRoutesOptions {
  callTool: CallTool;
}

/**
 * Adds the MCP endpoint: Streamable HTTP without sessions or streams. Methods other than `POST` get 405, notifications
 * get 202. Responses are JSON, whatever `Accept` says. `classifyInboundRequest` decides which handler gets a message.
 * `Origin` is not checked here: a request needs an identity that the gateway signed, and the gateway checks `Origin`.
 */
export async function mcpRoutes(app: FastifyInstance, { callTool }: McpRoutesOptions): Promise<void> {
  const respondWithHandshake = createHandshakeRevisions(callTool);
  const respond2026 = createRevision2026(callTool);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    let message: unknown;
    try {
      message = JSON.parse(utf8.decode(request.body as Buffer | undefined));
    } catch {
      return refusal(PARSE_ERROR, 'Parse error: the body is not valid JSON.');
    }
    parseArguments(message);
    removeAbsentValues(message);
    const { identityToken, id: requestId, log } = request;
    const identity = requireAccount(request.identity);
    let longestWait = 0;
    const onWait = (seconds: number) => {
      longestWait = Math.max(longestWait, seconds);
      reply.header('retry-after', longestWait);
    };
    const call = { identity, identityToken, requestId, log, signal: clientGone(reply), onWait };
    const version = isHandshake(message) ? undefined : headerOf(request.headers, 'mcp-protocol-version');
    const method = headerOf(request.headers, 'mcp-method');
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      body: message,
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...(method !== undefined && { mcpMethodHeader: method }),
    });
    switch (route.kind) {
      case 'reject':
        return refusal(route.code, route.message, { data: route.data, message });
      case 'legacy':
        return respondWithHandshake(message, version, call);
      case 'modern':
        return respond2026(route, request.headers, call);
    }
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => {
    const failure = failureOf(error, BODY_LIMIT_BYTES);
    if (failure.code === 'unauthenticated')
      reply.header('www-authenticate', 'Bearer realm="waymark", error="invalid_token"');
    return sendFailure(failure, request, reply);
  });
  app.addHook('onRequest', async (request, reply) => {
    requireAccount(request.identity);
    if (request.method !== 'POST') {
      reply.header('allow', 'POST');
      throw new AppError(
        'method_not_allowed',
        'The MCP endpoint supports only POST; it has no streams and no sessions.',
      );
    }
  });
  respondInTime(app);
  // Each tool has its own need.
  app.all('/mcp', { bodyLimit: BODY_LIMIT_BYTES, config: { needs: 'account' } }, async (request, reply) => {
    const { status, body } = await answer(request, reply);
    reply.code(status);
    if (body === null) return reply.send();
    return reply.type('application/json; charset=utf-8').send(body);
  });
}
