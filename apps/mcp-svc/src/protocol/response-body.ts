import { transcode } from 'node:buffer';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * The JSON of a response, in UTF-8. `json` is what a tool gave, if it did: it is to be in the result twice, as text and as
 * structured content, so it is made bytes once, and stands as it is at one place and with backslashes at the other.
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

/** For each byte how many backslashes it gets: no branch to guess wrongly at every tenth byte. */
const BACKSLASHES = new Uint8Array(256);
BACKSLASHES[QUOTE] = 1;
BACKSLASHES[BACKSLASH] = 1;

/** JSON as the inside of a text that is JSON: its other control characters are written with backslashes already. */
function escaped(json: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(2 * json.length);
  let length = 0;
  // Counted: an iterator takes three times as long.
  for (let n = 0; n < json.length; n++) {
    const byte = json[n]!;
    bytes[length] = BACKSLASH;
    length += BACKSLASHES[byte]!;
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

/** By way of UTF-16, which is a fifth of the time of `Buffer.from(text)`. JSON has no lone surrogates. */
function utf8Of(json: string): Buffer {
  return transcode(Buffer.from(json, 'utf16le'), 'utf16le', 'utf8') as Buffer;
}
