import { TextDecoder } from 'node:util';
/** How many bytes of a page are searched for its `meta` declaration (HTML standard, "prescan a byte stream"). */
export const PRESCAN_BYTES = 1_024;

/**
 * Returns a decoder for a page. It follows the order of the HTML standard: byte order mark, `Content-Type` header,
 * `meta` declaration within the first bytes. If none of them names an encoding of the Encoding standard
 * (https://encoding.spec.whatwg.org), it decodes UTF-8. Undecodable bytes become U+FFFD.
 */
export function pageDecoder(contentType: string, start: Uint8Array): TextDecoder {
  return (
    decoderOf(byteOrderMarkOf(start)) ??
    decoderOf(/;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]) ??
    decoderOf(declaredEncoding(start)) ??
    new TextDecoder()
  );
}

function byteOrderMarkOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function declaredEncoding(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, PRESCAN_BYTES))
    .toString('latin1')
    .replace(/<!--.*?-->/gs, '');
  // White space and quotes share one character class: with two, the match would take cubic time.
  const label = /<meta\s[^>]*?charset\s*=[\s"']*([^\s"'/>;]+)/i.exec(text)?.[1]?.toLowerCase();
  // The standard says so: a page whose declaration is readable as ASCII cannot be in UTF-16.
  if (label?.startsWith('utf-16')) return 'utf-8';
  return label === 'x-user-defined' ? 'windows-1252' : label;
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
