import { HOSTS_MAX, VERIFICATIONS_PER_MINUTE } from '../hosts/host.ts';
import { addHostExample, hostExample, updateHostExample } from './examples.ts';
import { API_ERRORS, API_HEADERS, errorRef, headerRefs, jsonResponse } from './responses.ts';
import { type Json, type SchemaName, schemaRef } from './schemas.ts';

/** Returns the operations on short hosts. All of them need an API key or a session. */
export function hostPaths(): Json {
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the host.',
    schema: { type: 'string' },
    example: hostExample.id,
  };
  const pending = { ...hostExample, status: 'pending', root_url: null, checked_at: null };
  const notFoundOrInvalid = { 404: errorRef('NoSuchHost'), 422: errorRef('Invalid') };
  return {
    '/api/v1/hosts': {
      get: {
        operationId: 'listHosts',
        tags: ['Hosts'],
        summary: 'List the short hosts of the account',
        description: 'All short hosts of the account, verified or not. Every key may read them.',
        responses: {
          200: jsonResponse('The hosts.', 'Hosts', { hosts: [hostExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'addHost',
        tags: ['Hosts'],
        summary: 'Add a short host',
        description: `The host is pending until its TXT record is in DNS and was found. An account can have ${HOSTS_MAX}. Needs a Full Access key or a session.`,
        requestBody: jsonBody('AddHostInput', addHostExample),
        responses: {
          201: jsonResponse('The new host.', 'Host', pending, {
            Location: {
              description: 'The path of the host.',
              schema: { type: 'string' },
              example: `/api/v1/hosts/${hostExample.id}`,
            },
          }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/hosts/{id}': {
      parameters: [id],
      get: {
        operationId: 'getHost',
        tags: ['Hosts'],
        summary: 'Get a short host',
        description: 'One short host of the account. Every key may read it.',
        responses: { 200: jsonResponse('The host.', 'Host', hostExample), ...API_ERRORS, ...notFoundOrInvalid },
      },
      put: {
        operationId: 'updateHost',
        tags: ['Hosts'],
        summary: 'Change a short host',
        description: 'Only the fields that are sent change. Needs a Full Access key or a session.',
        requestBody: jsonBody('UpdateHostInput', updateHostExample),
        responses: {
          200: jsonResponse('The host.', 'Host', { ...hostExample, ...updateHostExample }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          ...notFoundOrInvalid,
        },
      },
      delete: {
        operationId: 'deleteHost',
        tags: ['Hosts'],
        summary: 'Delete a short host',
        description: 'A host that links use is 422. Needs a Full Access key or a session.',
        responses: {
          204: { description: 'The host is deleted.', headers: headerRefs(...API_HEADERS) },
          ...API_ERRORS,
          // A body is ignored, but it is read to the end, so its size is limited.
          413: errorRef('TooLarge'),
          ...notFoundOrInvalid,
        },
      },
    },
    '/api/v1/hosts/{id}/verify': {
      parameters: [id],
      post: {
        operationId: 'verifyHost',
        tags: ['Hosts'],
        summary: 'Look for the TXT record of a short host',
        description: `Looks for the record now and returns the host as it is then. If DNS gives no clear answer, nothing changes, \`checked_at\` neither. 422 if another account has the host and its record is still there. At most ${VERIFICATIONS_PER_MINUTE} times a minute for each host. Needs a Full Access key or a session.`,
        responses: {
          200: jsonResponse('The host.', 'Host', hostExample),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          ...notFoundOrInvalid,
        },
      },
    },
  };
}

function jsonBody(schema: SchemaName, example: unknown): Json {
  return { required: true, content: { 'application/json': { schema: schemaRef(schema), example } } };
}
