import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ListToolsRequestSchema,
  type MessageExtraInfo,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { MCP_BATCH_MAX_MESSAGES, MCP_BATCH_TOO_LONG } from '@waymark/contract';
import { type CallTool, INVALID_PARAMS, ProtocolFault } from '../tools/call-tool.ts';
import type { Caller } from '../tools/tool-handlers.ts';
import { type Answer, BAD_REQUEST, INVALID_REQUEST, refusal } from './answer.ts';
import { bodyOf, callResult, Exchange } from './exchange.ts';
import { readableError } from './readable-error.ts';
import { SERVER_INFO, SERVER_OPTIONS, toolsFor } from './server-description.ts';

/** The supported revisions, latest first. A client that sends no version header may use features of any of them. */
const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const REVISIONS_WITH_BATCHES: readonly string[] = ['2025-03-26', '2024-11-05'];
const BATCH_TOO_LONG: Answer = { status: 400, body: Buffer.from(JSON.stringify(MCP_BATCH_TOO_LONG)) };

/**
 * What some clients ask for whatever the capabilities are, and take an error for a broken server. The SDK refuses handlers
 * of capabilities that are not declared.
 */
const EMPTY_LISTS: Readonly<Record<string, object>> = {
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [] },
};

/** Shared, since each server, one per request, would otherwise create its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Creates the handler of messages of the revisions that begin with `initialize`. There are no sessions: any replica
 * can handle any message, and `tools/call` works without `initialize`. `message` is a valid JSON-RPC message or batch.
 */
export function createHandshakeRevisions(callTool: CallTool) {
  return async (message: unknown, version: string | undefined, call: Caller): Promise<Answer> => {
    if (version !== undefined && !isServed(version))
      return refusal(
        BAD_REQUEST,
        `Unsupported MCP-Protocol-Version "${version.slice(0, 30)}"; the supported ones are ${HANDSHAKE_REVISIONS.join(', ')}.`,
      );
    if (!Array.isArray(message)) {
      if (!isJSONRPCRequest(message)) return { status: 202, body: null };
      return { status: 200, body: await respond(message, callTool, call) };
    }
    if (version !== undefined && !REVISIONS_WITH_BATCHES.includes(version))
      return refusal(INVALID_REQUEST, `Revision ${version} has no batches; send one message.`);
    if (message.length > MCP_BATCH_MAX_MESSAGES) return BATCH_TOO_LONG;
    const requests = message.filter((one) => isJSONRPCRequest(one));
    if (requests.some(({ method }) => method === 'initialize') && message.length > 1)
      return refusal(INVALID_REQUEST, 'initialize must not be part of a batch.');
    if (requests.length === 0) return { status: 202, body: null };
    const responses = await Promise.all(requests.map((request) => respond(request, callTool, call)));
    return { status: 200, body: Buffer.from(`[${responses.join(',')}]`) };
  };
}

/** Returns true for the handshake, whose params negotiate the version. Revision 2026-07-28 names itself in `_meta`. */
export function isHandshake(message: unknown): boolean {
  if (!isJSONRPCRequest(message) || message.method !== 'initialize') return false;
  return message.params?._meta?.[PROTOCOL_VERSION_META_KEY] === undefined;
}

function isServed(version: string): version is (typeof HANDSHAKE_REVISIONS)[number] {
  return (HANDSHAKE_REVISIONS as readonly string[]).includes(version);
}

/** Returns the body of the response to one request, from a server of its own (ADR 17). */
async function respond(request: JSONRPCRequest, callTool: CallTool, call: Caller): Promise<Buffer> {
  if (Object.hasOwn(EMPTY_LISTS, request.method))
    return bodyOf({ jsonrpc: '2.0', id: request.id, result: EMPTY_LISTS[request.method] });
  const exchange = new Exchange<JSONRPCMessage, MessageExtraInfo>();
  const server = new Server(SERVER_INFO, { ...SERVER_OPTIONS, jsonSchemaValidator });
  // The SDK's own handler would also accept 2024-10-07.
  server.setRequestHandler(InitializeRequestSchema, ({ params }) => ({
    protocolVersion: isServed(params.protocolVersion) ? params.protocolVersion : HANDSHAKE_REVISIONS[0],
    capabilities: SERVER_OPTIONS.capabilities,
    serverInfo: SERVER_INFO,
    instructions: SERVER_OPTIONS.instructions,
  }));
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    if (params?.cursor) throw new ProtocolFault(INVALID_PARAMS, 'Unknown cursor: the list has one page.');
    return { tools: toolsFor(call.identity) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    callResult(await callTool(params.name, params.arguments ?? {}, call)),
  );
  await server.connect(exchange);
  return bodyOf(readableError(await exchange.respond(request)));
}
