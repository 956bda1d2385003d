import type { ToolResult } from '../tools/call-tool.ts';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * The JSON of a response, in UTF-8. What a tool gave is in its result twice, as text and as structured content: the text is
 * that content's JSON already, so it is made bytes once, stands as it is at one place and with backslashes at the other.
 */
export function responseBody(response: object): Buffer {
  const { result, ...envelope } = response as { result?: Partial<ToolResult> };
  if (result?.structuredContent === undefined) return Buffer.from(JSON.stringify(response));
  const { structuredContent: _asInText, content, ...others } = result;
  const json = Buffer.from(content![0]!.text);
  const around = { ...envelope, result: { ...others, content: [{ type: 'text', text: '' }] } };
  const open = Buffer.from(JSON.stringify(around).slice(0, -'"}]}}'.length));
  const middle = Buffer.from('"}],"structuredContent":');
  return Buffer.concat([open, escaped(json), middle, json, Buffer.from('}}')]);
}

/** JSON as the inside of a text that is JSON: its other control characters are written with backslashes already. */
function escaped(json: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(2 * json.length);
  let length = 0;
  // Counted: an iterator takes three times as long.
  for (let n = 0; n < json.length; n++) {
    const byte = json[n]!;
    if (byte === QUOTE || byte === BACKSLASH) bytes[length++] = BACKSLASH;
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}
