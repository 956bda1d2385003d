import { ADDED_QUERY_MAX_LENGTH } from '@waymark/contract';

/**
 * Returns a destination as a valid `Location` header. The stored string is used if it is a URL of plain ASCII. Any
 * other string is serialized as the WHATWG URL standard says (https://url.spec.whatwg.org/#concept-url-serializer),
 * which is how browsers read it anyway.
 */
export function locationOf(destinationUrl: string): string {
  return URL_CHARACTERS.test(destinationUrl) ? destinationUrl : new URL(destinationUrl).href;
}

/**
 * Returns `location` with the parameters of `query` (a raw query string without `?`) added before its fragment. Adds
 * nothing of a query of more than {@link ADDED_QUERY_MAX_LENGTH} characters, which would be slow to read. Parameters
 * whose names the destination already has are excluded, so the destination's own win. The others keep their order,
 * repetitions and spelling.
 */
export function withQuery(location: string, query: string): string {
  if (query.length > ADDED_QUERY_MAX_LENGTH) return location;
  const hash = location.indexOf('#');
  const base = hash === -1 ? location : location.slice(0, hash);
  const fragment = hash === -1 ? '' : location.slice(hash);
  const mark = base.indexOf('?');
  const own = mark === -1 ? '' : base.slice(mark + 1);
  const taken = new Set(own.split('&').map(nameOf));
  const added = query.split('&').filter((parameter) => parameter !== '' && !taken.has(nameOf(parameter)));
  if (added.length === 0) return location;
  const joint = mark === -1 ? '?' : own === '' || own.endsWith('&') ? '' : '&';
  return base + joint + added.map(escapeOutsiders).join('&') + fragment;
}

/**
 * The characters that a URL can contain unescaped (RFC 3986, section 2): for example no spaces, quotes or curly
 * brackets.
 */
const URL_CHARACTERS = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+$/;
const OUTSIDERS = /[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]/g;

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  const name = equals === -1 ? parameter : parameter.slice(0, equals);
  if (!name.includes('%') && !name.includes('+')) return name;
  // URLSearchParams never throws, whatever the escapes.
  return new URLSearchParams(`${name}=`).keys().next().value ?? name;
}

/** Escapes ASCII characters that a request target can contain and a URL cannot. Node refuses all other characters. */
function escapeOutsiders(parameter: string): string {
  return parameter.replace(
    OUTSIDERS,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
