/**
 * A destination as a `Location` header can carry it: the stored string where it is a URL of plain ASCII already, else
 * as the WHATWG URL standard serialises it (https://url.spec.whatwg.org/#concept-url-serializer), which is how a
 * browser would read it anyway.
 */
export function locationOf(destinationUrl: string): string {
  return URL_CHARACTERS.test(destinationUrl) ? destinationUrl : new URL(destinationUrl).href;
}

/**
 * `location` with the parameters of `query` (a raw query string, without `?`) added before its fragment. A parameter
 * whose name the destination already has is left out, so the destination's own win; the others keep their order,
 * their repetitions and their spelling.
 */
export function withQuery(location: string, query: string): string {
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

/** What may stand in a URL as it is (RFC 3986, section 2): no space, quote, angle or curly bracket, backslash … */
const URL_CHARACTERS = /^[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]+$/;
const OUTSIDERS = /[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]/g;

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  const name = equals === -1 ? parameter : parameter.slice(0, equals);
  if (!name.includes('%') && !name.includes('+')) return name;
  // URLSearchParams never throws, whatever the escapes.
  return new URLSearchParams(`${name}=`).keys().next().value ?? name;
}

/** A request target may hold ASCII characters that a URL may not; Node refuses all others. */
function escapeOutsiders(parameter: string): string {
  return parameter.replace(
    OUTSIDERS,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
