import { SCOPES } from '../accounts/account.ts';
import { accountExample, accountKeyExample, createSessionExample, newKeyExample, sessionExample } from './examples.ts';
import { API_ERRORS, API_HEADERS, errorRef, headerRefs, jsonResponse } from './responses.ts';
import { type Json, schemaRef } from './schemas.ts';

/** Returns the operations on the account, its keys and its sessions. */
export function accountPaths(): Json {
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
    '/api/v1/me/keys': {
      get: {
        operationId: 'listKeys',
        tags: ['Account'],
        summary: 'List the keys of the account',
        description: 'The API keys that work, without the keys themselves. Needs a session.',
        responses: {
          200: jsonResponse('The keys.', 'AccountKeys', { keys: [accountKeyExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/keys/{scope}/rotate': {
      parameters: [scope],
      post: {
        operationId: 'rotateKey',
        tags: ['Account'],
        summary: 'Replace a key',
        description:
          'Creates a key of this scope. The old one, if there is one, stops working within 5 seconds. Needs a session.',
        responses: {
          200: jsonResponse('The new key.', 'NewKey', newKeyExample),
          ...API_ERRORS,
          404: errorRef('NoSuchKey'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/keys/{scope}': {
      parameters: [scope],
      delete: {
        operationId: 'revokeKey',
        tags: ['Account'],
        summary: 'Revoke a key',
        description: 'The key stops working within 5 seconds. Needs a session.',
        responses: {
          204: { description: 'The account has no key of this scope.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          404: errorRef('NoSuchKey'),
          // A body is ignored, but it is read to the end, so its size is limited.
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/sessions': {
      post: {
        operationId: 'createSession',
        tags: ['Sessions'],
        summary: 'Sign in',
        description:
          'Exchanges the token of a sign-in link for a session of 12 hours. A token works once, for 15 minutes. One that does not work counts as a failed authentication of the address. No key is needed, and none is read.',
        security: [],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: schemaRef('CreateSessionInput'), example: createSessionExample },
          },
        },
        responses: {
          201: {
            description: 'The new session.',
            headers: headerRefs('X-Request-Id'),
            content: { 'application/json': { schema: schemaRef('Session'), example: sessionExample } },
          },
          401: errorRef('SignInRefused'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
          429: errorRef('TooManyRequests'),
          500: errorRef('Internal'),
          503: errorRef('Unavailable'),
        },
      },
    },
    '/api/v1/sessions/current': {
      delete: {
        operationId: 'deleteCurrentSession',
        tags: ['Sessions'],
        summary: 'Sign out',
        description: 'Ends the session of the request everywhere within 5 seconds. Needs a session.',
        responses: {
          204: { description: 'The session has ended.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
  };
}

const scope = {
  name: 'scope',
  in: 'path',
  required: true,
  description: 'Which of the two keys.',
  schema: schemaRef('KeyScope'),
  example: SCOPES[0],
};
