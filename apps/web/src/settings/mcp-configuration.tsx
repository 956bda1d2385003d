import { useState } from 'preact/hooks';
import { CopyText } from '../components/copy-text.tsx';
import { SelectField } from '../components/field.tsx';
import { Words } from '../components/words.tsx';
import { API_URL } from '../page-facts.ts';
import { settings } from '../texts/settings.ts';
import { MCP_CLIENTS } from './mcp-clients.ts';

const { mcp: texts } = settings;

/** The configuration of the chosen MCP client, ready to copy. Without a key, it says what to put in its place. */
export function McpConfiguration({ apiKey = null }: { apiKey?: string | null }) {
  const [name, setName] = useState(MCP_CLIENTS[0]!.name);
  const client = MCP_CLIENTS.find((one) => one.name === name)!;
  const configuration = client.configuration(`${API_URL}/mcp`, apiKey ?? texts.keyExample);
  const isIncomplete = apiKey === null && configuration.includes(texts.keyExample);
  return (
    <>
      <SelectField
        label={texts.client}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        hint={client.where}
      >
        {MCP_CLIENTS.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </SelectField>
      <CopyText
        text={configuration}
        label={texts.copy(name)}
        copied={isIncomplete ? texts.copiedWithoutKey(name, texts.keyExample) : texts.copied(name)}
      />
      {isIncomplete && (
        <p className="quiet">
          <Words text={texts.keyMissing(texts.keyExample)} verbatim={texts.keyExample} />
        </p>
      )}
    </>
  );
}
