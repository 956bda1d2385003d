/** The path of links. */
export const LINKS_PATH = '/api/v1/links';

/**
 * The paths of one link, in Fastify's notation: by its id, its slug or its short URL. Some proxies decode `%2F` in a short
 * URL, and make one slash of several.
 */
export const LINK_PATHS: readonly string[] = [
  '/:id',
  '/:host/:slug',
  '/:scheme(^https?:$)/:host/:slug',
  '/:scheme(^https?:$)//:host/:slug',
].map((path) => LINKS_PATH + path);
