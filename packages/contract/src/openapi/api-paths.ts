import { AnalyticsQuery } from '../analytics/analytics-query.ts';
import { RawClicksQuery } from '../clicks/raw-click.ts';
import { ListEventsQuery } from '../events/event.ts';
import { AutoMetaQuery } from '../links/auto-meta.ts';
import { LinkId } from '../links/link.ts';
import { ExportLinksQuery } from '../links/link-export.ts';
import { ListLinksQuery } from '../links/link-list.ts';
import { QrQuery } from '../links/qr-code.ts';
import {
  analyticsExample,
  autoMetaExample,
  bulkExample,
  bulkResultsExample,
  createLinkExample,
  eventListExample,
  hashtagListExample,
  linkExample,
  linkListExample,
  protectedLinkExample,
  updateLinkExample,
} from './examples.ts';
import { API_ERRORS, API_HEADERS, BYTES, errorRef, headerRefs, idempotencyKey, jsonResponse } from './responses.ts';
import { type Json, queryParameters, schemaRef, toJson } from './schemas.ts';

/** Returns the operations on links and analytics. All of them need an API key or a session. */
export function apiPaths(apiUrl: string, publicUrl: string): Json {
  const link = linkExample(publicUrl);
  const linkId = {
    name: 'id',
    in: 'path',
    required: true,
    description: idDescription,
    schema: linkIdSchema,
    example: link.id,
  };
  return {
    '/api/v1/links': {
      get: {
        operationId: 'listLinks',
        tags: ['Links'],
        summary: 'List or search links',
        description: 'One page of the links that the key may see, sorted, and searched if `q` is given.',
        parameters: queryParameters(ListLinksQuery),
        responses: {
          200: jsonResponse('One page of links.', 'LinkList', linkListExample(publicUrl), {
            Link: {
              description: 'Addresses of the first, previous, next and last page (RFC 8288).',
              schema: { type: 'string' },
              example: `<${apiUrl}/api/v1/links?page=2>; rel="next"`,
            },
          }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'createLink',
        tags: ['Links'],
        summary: 'Create a link',
        description:
          'Only `destination_url` is required. With `auto_meta`, a title and a description that are not sent are read from the destination page; they stay null if it cannot be read in time. `null` for an optional field is the same as not sending it.',
        parameters: [idempotencyKey],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef('CreateLinkInput'),
              examples: {
                link: { summary: 'A public link', value: createLinkExample },
                protected: { summary: 'A link with a password', value: protectedLinkExample },
              },
            },
          },
        },
        responses: {
          201: jsonResponse('The new link.', 'Link', link, {
            Location: {
              description: 'Path of the new link.',
              schema: { type: 'string' },
              example: `/api/v1/links/${link.id}`,
            },
          }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links/bulk': {
      post: {
        operationId: 'bulkEditLinks',
        tags: ['Links'],
        summary: 'Create, update and delete many links',
        description:
          'Each operation is done in order, as its own request would be, and counts as one for the rate limit. One that fails, also a malformed one, stops no other. If the key has too few requests left, the whole is refused and nothing is done. Reading pages for `auto_meta` takes 3 seconds for the whole. `fields` limits the links of the results. An `Idempotency-Key` covers the whole.',
        parameters: [idempotencyKey],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaRef('BulkInput'), example: bulkExample } },
        },
        responses: {
          200: jsonResponse('One result for each operation.', 'BulkResults', bulkResultsExample(publicUrl)),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links/export': {
      get: {
        operationId: 'exportLinks',
        tags: ['Links'],
        summary: 'Export links',
        description:
          'All links that the key may see and that the filters select, oldest first, with every field. Archived links are excluded unless `archived` is `any` or `true`. In CSV a cell that a spreadsheet would run as a formula begins with an apostrophe, and hashtags are separated by commas. An account can run two exports at a time on each replica; a further one is 429.',
        parameters: queryParameters(ExportLinksQuery),
        responses: {
          200: {
            description: 'The links, streamed.',
            headers: {
              ...headerRefs(...API_HEADERS),
              'Content-Disposition': {
                description: 'The name for a file.',
                schema: { type: 'string' },
                example: 'attachment; filename="links.csv"',
              },
              'Cache-Control': {
                description: 'An export is never cached.',
                schema: { type: 'string' },
                example: 'no-store',
              },
            },
            content: { 'application/x-ndjson': { schema: BYTES }, 'text/csv': { schema: BYTES } },
          },
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links/{id}': {
      parameters: [linkId],
      get: {
        operationId: 'getLink',
        tags: ['Links'],
        summary: 'Get a link',
        description: 'One link of the account, if the key may see it.',
        responses: {
          200: jsonResponse('The link.', 'Link', link),
          ...API_ERRORS,
          404: errorRef('NotFound'),
          422: errorRef('Invalid'),
        },
      },
      put: {
        operationId: 'updateLink',
        tags: ['Links'],
        summary: 'Update a link',
        description:
          'Only the fields sent change. `null` or `""` empties `title`, `description`, `note`, `expires_at` and `expired_url`; `hashtags` replaces the whole list, `null` empties it; a value that is there already changes nothing, not even `updated_at`.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaRef('UpdateLinkInput'), example: updateLinkExample } },
        },
        responses: {
          200: jsonResponse('The link as it is now.', 'Link', { ...link, ...updateLinkExample }),
          ...API_ERRORS,
          404: errorRef('NotFound'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
      delete: {
        operationId: 'deleteLink',
        tags: ['Links'],
        summary: 'Delete a link permanently',
        description: 'This cannot be undone: the slug is free again, and the link’s clicks leave the analytics.',
        responses: {
          204: { description: 'The link is deleted.', headers: jsonResponse('', 'Link', null).headers },
          ...API_ERRORS,
          404: errorRef('NotFound'),
          // A body is ignored, but it is read to the end, so its size is limited.
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links/{id}/clicks': {
      parameters: [linkId],
      delete: {
        operationId: 'deleteClicks',
        tags: ['Links'],
        summary: 'Forget the clicks of a link',
        description:
          'The clicks so far leave the counter of the link, the analytics and the raw clicks at once, for good. Later ones count.',
        responses: {
          204: { description: 'The clicks are forgotten.', headers: jsonResponse('', 'Link', null).headers },
          ...API_ERRORS,
          404: errorRef('NotFound'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links/{id}/qr': {
      parameters: [linkId],
      get: {
        operationId: 'getQrCode',
        tags: ['Links'],
        summary: 'Get the QR code of a link',
        description: 'The QR code of the short URL. It may be cached for a day.',
        parameters: queryParameters(QrQuery),
        responses: {
          200: {
            description: 'The image.',
            headers: {
              ...headerRefs(...API_HEADERS),
              'Cache-Control': {
                description: 'How long the image may be cached.',
                schema: { type: 'string' },
                example: 'private, max-age=86400',
              },
            },
            content: { 'image/svg+xml': { schema: BYTES }, 'image/png': { schema: BYTES } },
          },
          ...API_ERRORS,
          404: errorRef('NotFound'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/hashtags': {
      get: {
        operationId: 'listHashtags',
        tags: ['Links'],
        summary: 'List hashtags',
        description:
          'The hashtags of the links that the key may see and that are not archived, most links first, then by name, at most 1,000.',
        responses: {
          200: jsonResponse('The hashtags.', 'HashtagList', hashtagListExample),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/auto-meta': {
      get: {
        operationId: 'readAutoMeta',
        tags: ['Links'],
        summary: 'Read title and description of a page',
        description:
          'What `auto_meta` would give a new link with this destination. A value is null if it could not be read within 3 seconds, for whatever reason. A restricted key needs `create` or `update`.',
        parameters: queryParameters(AutoMetaQuery),
        responses: {
          200: jsonResponse('What the page says about itself.', 'AutoMeta', autoMetaExample),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/events': {
      get: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events',
        description:
          'What happened in the account, in its order, for 30 days unless the service keeps events for longer or shorter. Whoever goes on from `next` misses nothing. A key that does not see all links gets events of links alone: if one is hidden from it, that is `link.deleted` with its `id`, and nothing earlier is shown again.',
        parameters: queryParameters(ListEventsQuery),
        responses: {
          200: jsonResponse('The events.', 'EventList', eventListExample),
          ...API_ERRORS,
          404: errorRef('NotFound'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/analytics': {
      get: {
        operationId: 'getAnalytics',
        tags: ['Analytics'],
        summary: 'Get analytics',
        description: 'Clicks, devices, traffic sources and top links of the links that the key may see.',
        parameters: queryParameters(AnalyticsQuery),
        responses: {
          200: jsonResponse('The analytics of the window.', 'Analytics', analyticsExample(publicUrl)),
          ...API_ERRORS,
          404: errorRef('NotFound'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/clicks': {
      get: {
        operationId: 'listClicks',
        tags: ['Analytics'],
        summary: 'List raw clicks',
        description:
          'Every counted click that the key may see, in the order in which they were stored. Whoever goes on from the last `cursor` gets every click exactly once; clicks that a replica of the service has not sent yet come later. In CSV a cell that a spreadsheet would run as a formula begins with an apostrophe. An account can run two lists at a time on each replica; a further one is 429.',
        parameters: queryParameters(RawClicksQuery),
        responses: {
          200: {
            description: 'The clicks, streamed: each line is a click with the fields of `Click`.',
            headers: {
              ...headerRefs(...API_HEADERS),
              'Content-Disposition': {
                description: 'The name for a file.',
                schema: { type: 'string' },
                example: 'attachment; filename="clicks.csv"',
              },
              'Cache-Control': {
                description: 'A list of clicks is never cached.',
                schema: { type: 'string' },
                example: 'no-store',
              },
            },
            content: { 'application/x-ndjson': { schema: BYTES }, 'text/csv': { schema: BYTES } },
          },
          ...API_ERRORS,
          404: errorRef('NotFound'),
          422: errorRef('Invalid'),
        },
      },
    },
  };
}

const { description: idDescription, examples: _examples, ...linkIdSchema } = toJson(LinkId);
