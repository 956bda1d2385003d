import { createMcpHandler, isJSONRPCRequest, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { TOOLS } from '@waymark/contract';
import type { FastifyBaseLogger } from 'fastify';
import { type CallTool, INVALID_PARAMS, ProtocolFault } from '../tools/call-tool.ts';
import type { ToolCall } from '../tools/tool-handlers.ts';
import type { Answer } from './answer.ts';
import { SERVER_INFO, SERVER_OPTIONS } from './server-description.ts';

/** Where the request went, as far as the handler has to know: it looks at headers and body only. */
const ANY_URL = 'http://mcp.invalid/mcp';
/** The headers that the protocol has. */
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
const METHOD_NOT_FOUND = -32601;
/** The list of tools and the server's description change with a new version of the service only. */
const CACHE = { ttlMs: 5 * 60_000, cacheScope: 'public' } as const;

/** Made once: a server would make one of its own for every request. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Answers messages of revision 2026-07-28: no handshake, what was said in one is in the headers and the `_meta` of
 * every request. The handler of the SDK checks those; this gives it the tools. `message` is parsed JSON.
 */
export function createRevision2026(callTool: CallTool, log: FastifyBaseLogger) {
  const handler = createMcpHandler((context) => serverOf(callTool, context.authInfo?.extra as unknown as ToolCall), {
    legacy: 'reject',
    // Refused requests come here too, so this is no error of the service by itself.
    onerror: (err) => log.info({ err }, 'request of revision 2026-07-28 refused'),
  });
  return async (
    message: unknown,
    headers: Record<string, string | string[] | undefined>,
    call: ToolCall,
  ): Promise<Answer> => {
    // It would be a stream that stays open and never says anything, since the list of tools never changes.
    if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen')
      return {
        status: 404,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: message.id,
          error: { code: METHOD_NOT_FOUND, message: 'Method not found' },
        }),
      };
    const request = new Request(ANY_URL, { method: 'POST', headers: protocolHeaders(headers) });
    const response = await handler.fetch(request, {
      parsedBody: message,
      authInfo: { token: call.identityToken, clientId: '', scopes: [], extra: { ...call } },
    });
    const body = await response.text();
    return { status: response.status, body: body === '' ? null : body };
  };
}

function serverOf(callTool: CallTool, call: ToolCall): Server {
  const server = new Server(SERVER_INFO, {
    ...SERVER_OPTIONS,
    jsonSchemaValidator,
    cacheHints: { 'tools/list': CACHE, 'server/discover': CACHE },
  });
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined) throw new ProtocolFault(INVALID_PARAMS, 'Unknown cursor: the list has one page.');
    return { tools: [...TOOLS] };
  });
  server.setRequestHandler('tools/call', ({ params }) => callTool(params.name, params.arguments ?? {}, call));
  return server;
}

function protocolHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const result = new Headers({ 'content-type': 'application/json' });
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') result.set(name, value);
  }
  return result;
}
