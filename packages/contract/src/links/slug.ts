/** A slug as a client may choose it; case is kept, uniqueness ignores it. */
export const SLUG_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]*$';
export const SLUG_MAX_LENGTH = 64;

/**
 * Words that are no slug, in any case: paths that the service itself answers, files that browsers and crawlers ask
 * every host for, names that a visitor would take for a page of the service, and what broken clients send.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  ...['api', 'mcp', 'docs', 'openapi.json', 'healthz', 'readyz', 'livez', 'startupz'],
  ...['metrics', 'register', '.well-known'],
  ...['robots.txt', 'favicon.ico', 'sitemap.xml', 'apple-touch-icon.png', 'manifest.json', 'ads.txt', 'humans.txt'],
  ...['admin', 'login', 'logout', 'signin', 'signup', 'settings', 'account', 'accounts', 'dashboard', 'oauth', 'auth'],
  ...['static', 'assets', 'public', 'status', 'health', 'help', 'support', 'about', 'terms', 'privacy', 'security'],
  ...['null', 'undefined', 'nan', 'true', 'false', 'links', 'analytics', 'graphql', 'v1', 'www'],
]);

const SLUG = new RegExp(SLUG_PATTERN);

/** True where a text could be a slug, reserved words included. */
export function isSlug(text: string): boolean {
  return text.length <= SLUG_MAX_LENGTH && SLUG.test(text);
}

/** The form by which slugs are compared and found. */
export function slugKey(slug: string): string {
  return slug.toLowerCase();
}

/** True where nobody may take this word as a slug. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED_SLUGS.has(slugKey(slug));
}
