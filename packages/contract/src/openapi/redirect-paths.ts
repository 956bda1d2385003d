import { LINK_EXPIRED_MESSAGE, LINK_NOT_FOUND_MESSAGE, UNKNOWN_HOST_MESSAGE } from '../errors.ts';
import { ADDED_QUERY_MAX_LENGTH } from '../links/destination.ts';
import { SLUG_MAX_LENGTH, SLUG_PATTERN } from '../links/slug.ts';
import { createLinkExample } from './examples.ts';
import { errorRef, headerRefs } from './responses.ts';
import { type Json, schemaRef } from './schemas.ts';

const UP_TO = `if the query has at most ${ADDED_QUERY_MAX_LENGTH.toLocaleString('en')} characters`;

/** Returns the operations of the short URLs. They need no API key. `servers` is empty if they are where the API is. */
export function redirectPaths(servers: readonly Json[]): Json {
  const location = {
    description: `The destination, with the query parameters of the short URL added ${UP_TO}.`,
    schema: { type: 'string', format: 'uri' },
    example: createLinkExample.destination_url,
  };
  const redirect = (description: string): Json => ({
    description,
    headers: { ...headerRefs('X-Request-Id', 'Cache-Control', 'X-Robots-Tag'), Location: location },
  });
  const page = (description: string): Json => ({
    description,
    headers: headerRefs('X-Request-Id'),
    content: { 'text/html': { schema: { type: 'string' } } },
  });
  const refusal = (why: string, error: string, ...headers: Parameters<typeof headerRefs>): Json => ({
    description: `${why}: a page for a browser (\`Accept: text/html\`), JSON for others.`,
    headers: headerRefs('X-Request-Id', ...headers),
    content: {
      'application/json': { schema: schemaRef('Error'), example: { error } },
      'text/html': { schema: { type: 'string' } },
    },
  });
  const errors = {
    404: refusal('There is no such link to follow', LINK_NOT_FOUND_MESSAGE),
    410: refusal('The link has expired and has no `expired_url`', LINK_EXPIRED_MESSAGE),
    421: {
      description: 'Nobody owns the host of the request, and `UNKNOWN_HOSTS` is `refuse`.',
      headers: headerRefs('X-Request-Id'),
      content: { 'application/json': { schema: schemaRef('Error'), example: { error: UNKNOWN_HOST_MESSAGE } } },
    },
    500: errorRef('Internal'),
    503: errorRef('Unavailable'),
  };
  const follow = {
    tags: ['Redirects'],
    security: [],
    responses: {
      200: page(
        'A page. That of a protected link asks for the password. A fetcher of link previews gets one with the `social_…` texts. A fetcher, a `HEAD` or a prefetch of a link with `max_clicks` gets one without the destination.',
      ),
      ...Object.fromEntries(
        [301, 307, 308].map((code) => [code, redirect('To the destination of a link with this `redirect_code`.')]),
      ),
      302: redirect(
        'To the destination, to the `expired_url` of a link that has expired, or to the `not_found_url` of a short host.',
      ),
      ...errors,
    },
  };
  const ofSlug = {
    ...(servers.length > 0 && { servers }),
    parameters: [
      {
        name: 'slug',
        in: 'path',
        required: true,
        description: `The slug of the link, in upper or lower case. Query parameters are added to the destination ${UP_TO}.`,
        schema: { type: 'string', minLength: 1, maxLength: SLUG_MAX_LENGTH, pattern: SLUG_PATTERN },
        example: 'summer-sale',
      },
    ],
  };
  const { 404: notFound, 421: misdirected, 500: internal, 503: unavailable } = errors;
  return {
    '/{slug}+': {
      ...ofSlug,
      get: {
        operationId: 'showLink',
        tags: ['Redirects'],
        summary: 'See where a link leads',
        description: 'A public or unlisted link that has not expired. It is not counted as a click.',
        security: [],
        responses: {
          200: page(
            'A page with the title and the destination. That of a link with `max_clicks` is without the destination.',
          ),
          302: redirect('There is no such link: to the `not_found_url` of a short host.'),
          ...{ 404: notFound, 421: misdirected, 500: internal, 503: unavailable },
        },
      },
    },
    '/{slug}': {
      ...ofSlug,
      get: { operationId: 'followLink', summary: 'Follow a link', description: 'Counts as a click.', ...follow },
      head: {
        operationId: 'probeLink',
        summary: 'See where a link redirects to',
        description: 'Like GET, but without a body; it is not counted as a click, and uses none of `max_clicks`.',
        ...follow,
      },
      post: {
        operationId: 'unlockLink',
        tags: ['Redirects'],
        summary: 'Follow a link with its password',
        description: 'The password page’s form sends this. A request with the right password is counted as a click.',
        security: [],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['password'],
                properties: { password: { type: 'string', minLength: 1, maxLength: 128 } },
              },
            },
          },
        },
        responses: {
          200: page(
            'A fetcher of link previews or a prefetch of a link with `max_clicks` gets a page without the destination.',
          ),
          302: redirect('The link has expired: to its `expired_url`; or to the `not_found_url` of a short host.'),
          303: redirect('The password was right: to the destination.'),
          403: page('The password was wrong: the page again.'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
          429: refusal(
            'Too many wrong passwords',
            'Too many wrong passwords for this link; try again later.',
            'Retry-After',
          ),
          ...errors,
        },
      },
    },
  };
}
