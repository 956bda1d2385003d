import { useState } from 'preact/hooks';
import { apiUrl } from '../api/addresses.ts';
import { CopyText } from '../components/copy-text.tsx';
import { SelectField } from '../components/field.tsx';
import { settings } from '../texts/settings.ts';
import { MCP_CLIENTS } from './mcp-clients.ts';

/** The configuration of the chosen MCP client, ready to copy. */
export function McpConfiguration({ apiKey }: { apiKey: string }) {
  const [name, setName] = useState(MCP_CLIENTS[0]!.name);
  const client = MCP_CLIENTS.find((one) => one.name === name)!;
  return (
    <>
      <SelectField
        label={settings.mcp.client}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        hint={client.where}
      >
        {MCP_CLIENTS.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </SelectField>
      <CopyText text={client.configuration(`${apiUrl}/mcp`, apiKey)} label={settings.mcp.copy(name)} />
    </>
  );
}
