// Writes `server.json`, which describes `waymark mcp` for MCP registries. Its names and versions are those of the package.
import { readFileSync, writeFileSync } from 'node:fs';

const { name, version, mcpName } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'name' | 'version' | 'mcpName',
  string
>;

const server = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: mcpName,
  title: 'Waymark',
  description: 'Short links and their click analytics, of a self-hosted Waymark',
  version,
  packages: [
    {
      registryType: 'npm',
      identifier: name,
      version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
      environmentVariables: [
        {
          name: 'WAYMARK_URL',
          description: "The base URL of Waymark's API",
          placeholder: 'https://go.example',
          isRequired: true,
        },
        { name: 'WAYMARK_KEY', description: 'The API key: key_pub_… for agents', isRequired: true, isSecret: true },
      ],
    },
  ],
};
writeFileSync('dist/server.json', `${JSON.stringify(server, null, 2)}\n`);
