import { DELIVERIES_MAX, SECRET_GRACE_HOURS, WEBHOOKS_MAX } from '../webhooks/webhook.ts';
import {
  createWebhookExample,
  deliveryExample,
  newWebhookExample,
  replayExample,
  updateWebhookExample,
  webhookClicksExample,
  webhookEventExample,
  webhookExample,
} from './examples.ts';
import { API_ERRORS, API_HEADERS, errorRef, headerRefs, jsonResponse } from './responses.ts';
import { type Json, type SchemaName, schemaRef } from './schemas.ts';

const NEEDS = 'Needs a Full Access key or a session.';

/** Returns the operations on webhooks. All of them need a Full Access key or a session. */
export function webhookPaths(): Json {
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the webhook.',
    schema: { type: 'string' },
    example: webhookExample.id,
  };
  const notFoundOrInvalid = { 404: errorRef('NoSuchWebhook'), 422: errorRef('Invalid') };
  const withBody = { ...API_ERRORS, 413: errorRef('TooLarge'), ...notFoundOrInvalid };
  const accepted = (description: string) => ({
    202: { description, headers: headerRefs(...API_HEADERS) },
    ...withBody,
  });
  return {
    '/api/v1/webhooks': {
      get: {
        operationId: 'listWebhooks',
        tags: ['Webhooks'],
        summary: 'List the webhooks of the account',
        description: `All webhooks of the account, without their secrets. ${NEEDS}`,
        responses: {
          200: jsonResponse('The webhooks.', 'Webhooks', { webhooks: [webhookExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'createWebhook',
        tags: ['Webhooks'],
        summary: 'Create a webhook',
        description: `It gets the events from now on. An account can have ${WEBHOOKS_MAX}. ${NEEDS}`,
        requestBody: jsonBody('CreateWebhookInput', createWebhookExample),
        responses: {
          201: jsonResponse('The new webhook, with its secret.', 'NewWebhook', newWebhookExample, {
            Location: {
              description: 'The path of the webhook.',
              schema: { type: 'string' },
              example: `/api/v1/webhooks/${webhookExample.id}`,
            },
          }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/webhooks/{id}': {
      parameters: [id],
      get: {
        operationId: 'getWebhook',
        tags: ['Webhooks'],
        summary: 'Get a webhook',
        description: `One webhook of the account, without its secret. ${NEEDS}`,
        responses: {
          200: jsonResponse('The webhook.', 'Webhook', webhookExample),
          ...API_ERRORS,
          ...notFoundOrInvalid,
        },
      },
      put: {
        operationId: 'updateWebhook',
        tags: ['Webhooks'],
        summary: 'Change a webhook',
        description: `Only the fields that are sent change. ${NEEDS}`,
        requestBody: jsonBody('UpdateWebhookInput', updateWebhookExample),
        responses: { 200: jsonResponse('The webhook.', 'Webhook', webhookExample), ...withBody },
      },
      delete: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'Delete a webhook',
        description: `What was not delivered yet is not sent any more. ${NEEDS}`,
        // A body is ignored, but it is read to the end, so its size is limited.
        responses: {
          204: { description: 'The webhook is deleted.', headers: headerRefs(...API_HEADERS) },
          ...withBody,
        },
      },
    },
    '/api/v1/webhooks/{id}/rotate-secret': {
      parameters: [id],
      post: {
        operationId: 'rotateWebhookSecret',
        tags: ['Webhooks'],
        summary: 'Give a webhook a new secret',
        description: `For ${SECRET_GRACE_HOURS} hours the old one signs too. ${NEEDS}`,
        responses: {
          200: jsonResponse('The webhook, with its new secret.', 'NewWebhook', newWebhookExample),
          ...withBody,
        },
      },
    },
    '/api/v1/webhooks/{id}/test': {
      parameters: [id],
      post: {
        operationId: 'testWebhook',
        tags: ['Webhooks'],
        summary: 'Send a test event',
        description: `Sends an event of the type \`webhook.test\` once, also to a webhook that is disabled. ${NEEDS}`,
        responses: accepted('The event will be sent; see the deliveries.'),
      },
    },
    '/api/v1/webhooks/{id}/replay': {
      parameters: [id],
      post: {
        operationId: 'replayWebhook',
        tags: ['Webhooks'],
        summary: 'Send events again',
        description: `Sends the events after this one again, with the same \`webhook-id\`. ${NEEDS}`,
        requestBody: jsonBody('ReplayInput', replayExample),
        responses: accepted('The events will be sent.'),
      },
    },
    '/api/v1/webhooks/{id}/deliveries': {
      parameters: [id],
      get: {
        operationId: 'listDeliveries',
        tags: ['Webhooks'],
        summary: 'List the last deliveries',
        description: `The last ${DELIVERIES_MAX} attempts, without bodies. ${NEEDS}`,
        responses: {
          200: jsonResponse('The deliveries, newest first.', 'Deliveries', { deliveries: [deliveryExample] }),
          ...API_ERRORS,
          ...notFoundOrInvalid,
        },
      },
    },
  };
}

/** Returns what webhooks get: the `webhooks` of OpenAPI 3.1. */
export function webhookBodies(): Json {
  const header = (name: string, description: string, example: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  });
  const receive = (operationId: string, summary: string, schema: SchemaName, example: unknown) => ({
    post: {
      operationId,
      // Of their own: generators make a file for each tag, and another one for the webhooks of the tag in its place.
      tags: ['Webhook requests'],
      summary,
      description: 'Verify it with a library of Standard Webhooks. It may come more than once.',
      security: [],
      parameters: [
        header('webhook-id', 'Identifies the event: the same in each attempt and replay.', 'msg_2KWPBgLlAfxdpx2AI54p'),
        header('webhook-timestamp', 'When it was sent, in seconds since the epoch.', '1795279212'),
        header(
          'webhook-signature',
          'Signatures, separated by spaces.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: jsonBody(schema, example),
      responses: { '2XX': { description: 'It is delivered. Every other response is a failure.' } },
    },
  });
  return {
    event: receive('receiveEvent', 'Receive an event', 'WebhookEvent', webhookEventExample),
    clicks: receive('receiveClicks', 'Receive clicks', 'WebhookClicks', webhookClicksExample),
  };
}

function jsonBody(schema: SchemaName, example: unknown): Json {
  return { required: true, content: { 'application/json': { schema: schemaRef(schema), example } } };
}
