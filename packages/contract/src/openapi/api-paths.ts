import { AnalyticsQuery } from '../analytics/analytics.ts';
import { LinkId } from '../links/link.ts';
import { ListLinksQuery } from '../links/link-list.ts';
import {
  accountExample,
  analyticsExample,
  createLinkExample,
  linkExample,
  linkListExample,
  protectedLinkExample,
  updateLinkExample,
} from './examples.ts';
import { API_ERRORS, errorRef, jsonResponse } from './responses.ts';
import { type Json, queryParameters, schemaRef, toJson } from './schemas.ts';

/** Returns the operations below /api/v1. All of them need an API key. */
export function apiPaths(publicUrl: string): Json {
  const link = linkExample(publicUrl);
  return {
    '/api/v1/me': {
      get: {
        operationId: 'getMe',
        tags: ['Account'],
        summary: 'Get the account',
        description: 'The account that the key belongs to, and what the key may see.',
        responses: {
          200: jsonResponse('The account.', 'Account', accountExample),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/links': {
      get: {
        operationId: 'listLinks',
        tags: ['Links'],
        summary: 'List or search links',
        description: 'One page of the links that the key may see, sorted, and searched where `q` is given.',
        parameters: queryParameters(ListLinksQuery),
        responses: {
          200: jsonResponse('One page of links.', 'LinkList', linkListExample(publicUrl), {
            Link: {
              description: 'Addresses of the first, previous, next and last page (RFC 8288).',
              schema: { type: 'string' },
              example: `<${publicUrl}/api/v1/links?page=2>; rel="next"`,
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
          'Only `destination_url` is required. With `auto_meta`, a title and a description that are not sent are read from the destination page; what cannot be read in time stays null. `null` for an optional field is the same as not sending it.',
        parameters: [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description:
              'Makes the request safe to repeat: the same key and body within 24 hours give the first answer again, the same key with another body is refused.',
            required: false,
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ],
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
    '/api/v1/links/{id}': {
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: idDescription,
          schema: linkIdSchema,
          example: link.id,
        },
      ],
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
          'Only the fields sent change. `null` or `""` empties `title`, `description` and `note`; `hashtags` replaces the whole list; an empty object changes nothing.',
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
        description: 'For good: the slug is free again and the link’s clicks leave the analytics.',
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
          422: errorRef('Invalid'),
        },
      },
    },
  };
}

const { description: idDescription, examples: _examples, ...linkIdSchema } = toJson(LinkId);
