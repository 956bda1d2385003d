import { settings } from '../texts/settings.ts';

const { files, otherClient, keyPrompt } = settings.mcp;

/** A client of MCP, where its configuration goes and what it is. docs/mcp.md has the same forms. */
export interface McpClient {
  name: string;
  where: string;
  /** Returns the configuration for an MCP server at `url` and an API key. */
  configuration: (url: string, key: string) => string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (key: string) => `Bearer ${key}`;

export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'Claude Code',
    where: files.claudeCode,
    configuration: (url, key) =>
      `claude mcp add --transport http waymark ${url} --header "Authorization: ${bearer(key)}"`,
  },
  {
    name: 'Cursor',
    where: files.cursor,
    configuration: (url, key) => json({ mcpServers: { waymark: { url, headers: { Authorization: bearer(key) } } } }),
  },
  {
    name: 'VS Code',
    where: files.vscode,
    // The key is asked for, so that it is not in a file that a project shares.
    configuration: (url) =>
      json({
        inputs: [{ type: 'promptString', id: 'waymark-key', description: keyPrompt, password: true }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
        servers: { waymark: { type: 'http', url, headers: { Authorization: bearer('${input:waymark-key}') } } },
      }),
  },
  {
    name: 'Codex',
    where: files.codex,
    // The file holds no key, only the name of a variable.
    configuration: (url) => `[mcp_servers.waymark]\nurl = "${url}"\nbearer_token_env_var = "WAYMARK_KEY"`,
  },
  {
    name: 'Gemini CLI',
    where: files.geminiCli,
    configuration: (url, key) =>
      json({ mcpServers: { waymark: { httpUrl: url, headers: { Authorization: bearer(key) } } } }),
  },
  {
    name: 'Windsurf',
    where: files.windsurf,
    configuration: (url, key) =>
      json({ mcpServers: { waymark: { serverUrl: url, headers: { Authorization: bearer(key) } } } }),
  },
  {
    name: 'Claude Desktop',
    where: files.claudeDesktop,
    configuration: (url, key) =>
      json({
        mcpServers: {
          waymark: {
            command: 'npx',
            args: ['-y', '@waymark/cli', 'mcp'],
            env: { WAYMARK_URL: new URL(url).origin, WAYMARK_KEY: key },
          },
        },
      }),
  },
  { name: otherClient, where: files.other, configuration: (url, key) => `${url}\nAuthorization: ${bearer(key)}` },
];
