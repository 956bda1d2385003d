/** A URL without its scheme: a host with a dot, then maybe a port, then its end or a path. */
const WITHOUT_SCHEME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.-]*)\.\p{L}[\p{L}\p{M}\p{N}-]*\.?(?::\d+)?(?=[/?#]|$)/u;

/** Returns a URL with `https://`, if it has no scheme, as the form of the dashboard does (`pasted-url.ts`). */
export function withScheme(url: string): string {
  return WITHOUT_SCHEME.test(url) ? `https://${url}` : url;
}
