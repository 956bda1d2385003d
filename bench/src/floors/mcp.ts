// Floor of an MCP tool call with the SDK: its own stateless server with a tool that does nothing.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { reportListening } from './listening.ts';

const server = createServer(async (request, response) => {
  const mcp = new McpServer({ name: 'floor', version: '1.0.0' });
  mcp.registerTool('get_me', {}, () => ({ content: [] }));
  // Without a session id generator it is stateless.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  // The SDK's types do not compile with exactOptionalPropertyTypes.
  await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
  response.once('close', () => mcp.close());
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => reportListening(server.address()));
