/** The pattern of a slug that a client may choose. Case is kept, but slugs must be unique ignoring case. */
export const SLUG_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]*$';
export const SLUG_MAX_LENGTH = 64;

/**
 * Words that cannot be slugs, in any case: paths of the service itself, files that browsers and crawlers request from
 * every host, names that look like pages of the service, and values that broken clients send.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  ...['api', 'app', 'mcp', 'docs', 'openapi.json', 'healthz', 'readyz', 'livez', 'startupz'],
  ...['metrics', 'register', 'token', 'authorize', '.well-known'],
  ...['robots.txt', 'favicon.ico', 'sitemap.xml', 'apple-touch-icon.png', 'manifest.json', 'ads.txt', 'humans.txt'],
  ...['admin', 'login', 'logout', 'signin', 'signup', 'settings', 'account', 'accounts', 'dashboard', 'oauth', 'auth'],
  ...['static', 'assets', 'public', 'status', 'health', 'help', 'support', 'about', 'terms', 'privacy', 'security'],
  ...['null', 'undefined', 'nan', 'true', 'false', 'links', 'analytics', 'graphql', 'v1', 'www'],
]);

const SLUG = new RegExp(SLUG_PATTERN);

/** Returns true if the text has the form of a slug. Does not check for reserved words. */
export function isSlug(text: string): boolean {
  return text.length <= SLUG_MAX_LENGTH && SLUG.test(text);
}

/** Returns the form in which slugs are compared and looked up. */
export function slugKey(slug: string): string {
  return slug.toLowerCase();
}

/** Returns true if the word is reserved, in any case. */
export function isReservedSlug(slug: string): boolean {
  return RESERVED_SLUGS.has(slugKey(slug));
}
