import { SCOPES } from '../accounts/account.ts';
import { PASSKEYS_MAX, PasskeyCreationOptions, PasskeyRequestOptions } from '../accounts/passkey.ts';
import { RESTRICTED_KEYS_MAX } from '../accounts/restricted-key.ts';
import { SAVED_FILTERS_MAX } from '../links/saved-filter.ts';
import {
  accountExample,
  accountKeyExample,
  addPasskeyExample,
  createRestrictedKeyExample,
  createSessionExample,
  newKeyExample,
  newRestrictedKeyExample,
  passkeyExample,
  passkeySignInExample,
  restrictedKeyExample,
  rotateKeyExample,
  savedFilterExample,
  saveFilterExample,
  sessionAccountsExample,
  sessionExample,
  switchSessionExample,
} from './examples.ts';
import { API_ERRORS, API_HEADERS, errorRef, headerRefs, jsonResponse } from './responses.ts';
import { type Json, type SchemaName, schemaRef } from './schemas.ts';

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
    '/api/v1/me/accounts': {
      get: {
        operationId: 'listSessionAccounts',
        tags: ['Account'],
        summary: 'List the accounts of the session',
        description: 'The accounts that the session can switch to, with its role in each. Needs a session.',
        responses: {
          200: jsonResponse('The accounts.', 'SessionAccounts', sessionAccountsExample),
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
          'Creates a key of this scope. The old one, if there is one, stops working within 5 seconds, or at the end of the grace. Needs a session.',
        requestBody: { ...jsonBody('RotateKeyInput', rotateKeyExample), required: false },
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
        description:
          'The key stops working within 5 seconds, and so do the restricted keys that belong to it. Needs a session.',
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
    '/api/v1/me/keys/restricted': {
      get: {
        operationId: 'listRestrictedKeys',
        tags: ['Account'],
        summary: 'List the restricted keys of the account',
        description: 'The restricted keys that work, without the keys themselves. Needs a session.',
        responses: {
          200: jsonResponse('The keys.', 'RestrictedKeys', { keys: [restrictedKeyExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'createRestrictedKey',
        tags: ['Account'],
        summary: 'Create a restricted key',
        description: `A key for an agent or a pipeline, which may do less than the key that it belongs to. An account can have ${RESTRICTED_KEYS_MAX}. Needs a session.`,
        requestBody: jsonBody('CreateRestrictedKeyInput', createRestrictedKeyExample),
        responses: {
          201: jsonResponse('The new key. It is shown only here.', 'NewRestrictedKey', newRestrictedKeyExample),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/keys/restricted/{id}': {
      parameters: [restrictedKeyId],
      delete: {
        operationId: 'deleteRestrictedKey',
        tags: ['Account'],
        summary: 'Delete a restricted key',
        description: 'The key stops working within 5 seconds. Needs a session.',
        responses: {
          204: { description: 'There is no such key any more.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          404: errorRef('NoSuchRestrictedKey'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/filters': {
      get: {
        operationId: 'listSavedFilters',
        tags: ['Account'],
        summary: 'List the saved filters of the account',
        description: 'The filters of the list of links that people of the account have saved. Needs a session.',
        responses: {
          200: jsonResponse('The filters.', 'SavedFilters', { filters: [savedFilterExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'saveFilter',
        tags: ['Account'],
        summary: 'Save a filter',
        description: `Saves parameters of the list of links under a name. An account can have ${SAVED_FILTERS_MAX}. Needs a session.`,
        requestBody: jsonBody('SaveFilterInput', saveFilterExample),
        responses: {
          201: jsonResponse('The new filter.', 'SavedFilter', savedFilterExample),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/filters/{id}': {
      parameters: [savedFilterId],
      delete: {
        operationId: 'deleteSavedFilter',
        tags: ['Account'],
        summary: 'Delete a saved filter',
        description: 'No link changes. Needs a session.',
        responses: {
          204: { description: 'The filter is deleted.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          404: errorRef('NoSuchFilter'),
          // A body is ignored, but it is read to the end, so its size is limited.
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/passkeys/options': {
      post: {
        operationId: 'createPasskeyOptions',
        tags: ['Account'],
        summary: 'Begin to add a passkey',
        description:
          'The options to create a passkey with. Their challenge works once, for 5 minutes. Needs a session.',
        responses: {
          200: jsonResponse('The options.', 'PasskeyCreationOptions', creationOptionsExample),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/passkeys': {
      get: {
        operationId: 'listPasskeys',
        tags: ['Account'],
        summary: 'List the passkeys of the account',
        description: 'The passkeys with which its owner signs in. Needs a session.',
        responses: {
          200: jsonResponse('The passkeys.', 'Passkeys', { passkeys: [passkeyExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'addPasskey',
        tags: ['Account'],
        summary: 'Add a passkey',
        description: `Adds the passkey that the browser created with the options. An account can have ${PASSKEYS_MAX}. Needs a session.`,
        requestBody: jsonBody('AddPasskeyInput', addPasskeyExample),
        responses: {
          201: jsonResponse('The new passkey.', 'Passkey', { ...passkeyExample, last_used_at: null }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/me/passkeys/{id}': {
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the passkey.',
          schema: { type: 'string' },
          example: passkeyExample.id,
        },
      ],
      delete: {
        operationId: 'deletePasskey',
        tags: ['Account'],
        summary: 'Delete a passkey',
        description: 'Nobody signs in with it any more. Sessions that it began go on. Needs a session.',
        responses: {
          204: { description: 'The passkey is deleted.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          404: errorRef('NoSuchPasskey'),
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
          'Exchanges the token of a sign-in link, or of a sign-in at an OpenID provider, for a session, which ends 12 hours after its last use, and after 7 days at the latest. The token of a link works once, for 15 minutes; that of a provider once, for a minute, with the `verifier` of the browser that began. One that does not work counts as a failed authentication of the address. No key is needed, and none is read.',
        security: [],
        requestBody: jsonBody('CreateSessionInput', createSessionExample),
        responses: { 201: newSession, ...SIGN_IN_ERRORS },
      },
    },
    '/api/v1/sessions/passkey/options': {
      post: {
        operationId: 'createSignInOptions',
        tags: ['Sessions'],
        summary: 'Begin to sign in with a passkey',
        description:
          'The options to ask a browser for a passkey with. Their challenge works once, for 5 minutes. No key is needed, and none is read.',
        security: [],
        responses: {
          200: {
            description: 'The options.',
            headers: headerRefs('X-Request-Id'),
            content: {
              'application/json': { schema: schemaRef('PasskeyRequestOptions'), example: requestOptionsExample },
            },
          },
          ...SIGN_IN_ERRORS,
        },
      },
    },
    '/api/v1/sessions/passkey': {
      post: {
        operationId: 'createPasskeySession',
        tags: ['Sessions'],
        summary: 'Sign in with a passkey',
        description:
          'Exchanges a challenge that a passkey has signed for a session of its account. Anything wrong counts as a failed authentication of the address. No key is needed, and none is read.',
        security: [],
        requestBody: jsonBody('PasskeySignInInput', passkeySignInExample),
        responses: { 201: newSession, ...SIGN_IN_ERRORS },
      },
    },
    '/api/v1/sessions/switch': {
      post: {
        operationId: 'switchSession',
        tags: ['Sessions'],
        summary: 'Switch to another account',
        description:
          'Begins a session of another account of `GET /api/v1/me/accounts`. It lasts no longer than the first session of the sign-in, which goes on, too. Needs a session.',
        requestBody: jsonBody('SwitchSessionInput', switchSessionExample),
        responses: {
          201: jsonResponse('The new session.', 'Session', sessionExample),
          ...API_ERRORS,
          404: errorRef('NoSuchSessionAccount'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
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

const restrictedKeyId = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Identifies the key.',
  schema: { type: 'string' },
  example: '019e4a7b-3c5d-7e8f-9a0b-1c2d3e4f5a6b',
};

const savedFilterId = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Identifies the filter.',
  schema: { type: 'string' },
  example: savedFilterExample.id,
};

const scope = {
  name: 'scope',
  in: 'path',
  required: true,
  description: 'Which of the two keys.',
  schema: schemaRef('KeyScope'),
  example: SCOPES[0],
};

const creationOptionsExample = firstExample(PasskeyCreationOptions);
const requestOptionsExample = firstExample(PasskeyRequestOptions);

const newSession = {
  description: 'The new session.',
  headers: headerRefs('X-Request-Id'),
  content: { 'application/json': { schema: schemaRef('Session'), example: sessionExample } },
};

/** The errors of requests that need no key. */
const SIGN_IN_ERRORS = {
  401: errorRef('SignInRefused'),
  413: errorRef('TooLarge'),
  422: errorRef('Invalid'),
  429: errorRef('TooManyRequests'),
  500: errorRef('Internal'),
  503: errorRef('Unavailable'),
};

function jsonBody(schema: SchemaName, example: unknown): Json {
  return { required: true, content: { 'application/json': { schema: schemaRef(schema), example } } };
}

function firstExample(schema: object): unknown {
  return (schema as { examples: unknown[] }).examples[0];
}
