import { transcode } from 'node:buffer';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * Returns a response as JSON in UTF-8. `json` is the result of a tool, if there is one. The response holds it twice: as
 * it is in the structured content, and escaped in the text. It is serialized and encoded only once.
 */
export function responseBody(response: object, json: string | undefined): Buffer {
  const { result, ...envelope } = response as { result?: object };
  if (json === undefined || result === undefined) return Buffer.from(JSON.stringify(response));
  const { content: _content, structuredContent: _structuredContent, ...others } = result as Record<string, unknown>;
  const around = { ...envelope, result: { ...others, content: [{ type: 'text', text: '' }] } };
  const open = Buffer.from(JSON.stringify(around).slice(0, -'"}]}}'.length));
  const middle = Buffer.from('"}],"structuredContent":');
  const bytes = utf8Of(json);
  return Buffer.concat([open, escaped(bytes), middle, bytes, Buffer.from('}}')]);
}

/** The number of backslashes before each byte. A table avoids a branch that the CPU often mispredicts. */
const BACKSLASHES = new Uint8Array(256);
BACKSLASHES[QUOTE] = 1;
BACKSLASHES[BACKSLASH] = 1;

/** Escapes JSON for use in a JSON string. Only quotes and backslashes need it: JSON has no raw control characters. */
function escaped(json: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(2 * json.length);
  let length = 0;
  // An index is much faster than an iterator here.
  for (let n = 0; n < json.length; n++) {
    const byte = json[n]!;
    bytes[length] = BACKSLASH;
    length += BACKSLASHES[byte]!;
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

/** Encodes by way of UTF-16, which is faster than `Buffer.from(text)`. `JSON.stringify` leaves no lone surrogates. */
function utf8Of(json: string): Buffer {
  return transcode(Buffer.from(json, 'utf16le'), 'utf16le', 'utf8') as Buffer;
}
