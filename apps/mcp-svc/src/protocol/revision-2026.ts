import {
  type InboundModernRoute,
  type JSONRPCMessage,
  type MessageExtraInfo,
  Server,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { type CallTool, INVALID_PARAMS, ProtocolFault } from '../tools/call-tool.ts';
import type { Caller } from '../tools/tool-handlers.ts';
import { type Answer, refusal } from './answer.ts';
import { bodyOf, callResult, Exchange } from './exchange.ts';
import { readableError } from './readable-error.ts';
import { headerFault, type RequestHeaders } from './request-headers.ts';
import { SERVER_INFO, SERVER_OPTIONS, toolsFor } from './server-description.ts';

const REVISION_2026 = '2026-07-28';
const METHOD_NOT_FOUND = -32601;
const HEADER_MISMATCH = -32020;
/** The server's description changes only with a new version of the service, and so does the list of a key's tools. */
const LIST_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
const DESCRIPTION_CACHE = { ...LIST_CACHE, cacheScope: 'public' } as const;

const OPTIONS = {
  ...SERVER_OPTIONS,
  supportedProtocolVersions: [REVISION_2026],
  cacheHints: { 'tools/list': LIST_CACHE, 'server/discover': DESCRIPTION_CACHE },
  /** Shared, since each server, one per request, would otherwise create its own. */
  jsonSchemaValidator: new AjvJsonSchemaValidator(),
};

/**
 * Creates the handler of messages of revision 2026-07-28. It has no handshake: each request has the version and the client
 * in its headers and its `_meta`, which `classifyInboundRequest` has validated.
 */
export function createRevision2026(callTool: CallTool) {
  return async (
    { message, messageKind, classification }: InboundModernRoute,
    headers: RequestHeaders,
    call: Caller,
  ): Promise<Answer> => {
    if (classification.revision !== REVISION_2026) {
      const {
        code,
        message: words,
        data,
      } = new UnsupportedProtocolVersionError({
        supported: [REVISION_2026],
        requested: classification.revision ?? 'unknown',
      });
      return refusal(code, words, { data, message });
    }
    if (messageKind === 'notification') return { status: 202, body: null };
    const fault = headerFault(message, headers);
    if (fault !== null) return refusal(HEADER_MISMATCH, fault, { message });
    const exchange = new Exchange<JSONRPCMessage, MessageExtraInfo>();
    await serverOf(callTool, call).connect(exchange);
    const response = readableError(await exchange.respond(message, { classification }));
    const unknownMethod = 'error' in response && response.error.code === METHOD_NOT_FOUND;
    return { status: unknownMethod ? 404 : 200, body: bodyOf(response) };
  };
}

/** A server that uses this revision without a handshake. */
class Server2026 extends Server {
  protected override _negotiatedProtocolVersion = REVISION_2026;
}

function serverOf(callTool: CallTool, call: Caller): Server {
  const server = new Server2026(SERVER_INFO, OPTIONS);
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor) throw new ProtocolFault(INVALID_PARAMS, 'Unknown cursor: the list has one page.');
    return { tools: toolsFor(call.identity) };
  });
  server.setRequestHandler('tools/call', async ({ params }) =>
    callResult(await callTool(params.name, params.arguments ?? {}, call)),
  );
  return server;
}
