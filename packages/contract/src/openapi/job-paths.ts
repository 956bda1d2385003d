import { IMPORT_CONTENT_TYPES, ImportQuery } from '../jobs/import.ts';
import { importPreviewExample, jobExample, jobInputExample } from './examples.ts';
import { API_ERRORS, API_HEADERS, BYTES, errorRef, headerRefs, idempotencyKey, jsonResponse } from './responses.ts';
import { type Json, queryParameters, schemaRef } from './schemas.ts';

/** Returns the operations on jobs. All of them need an API key or a session. */
export function jobPaths(): Json {
  const jobId = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Identifier of the job.',
    schema: { type: 'string' },
    example: jobExample.id,
  };
  const running = { ...jobExample, state: 'running', done: 100, changed: 95, finished_at: null, undo_until: null };
  const begun = {
    200: jsonResponse('The job, which is over.', 'Job', jobExample),
    202: jsonResponse('The job, which goes on.', 'Job', running),
    ...API_ERRORS,
    413: errorRef('TooLarge'),
    422: errorRef('Invalid'),
  };
  return {
    '/api/v1/jobs': {
      get: {
        operationId: 'listJobs',
        tags: ['Jobs'],
        summary: 'List jobs',
        description:
          'The jobs of the last 30 days, newest first, at most 1,000. A Public Links Only key gets its own, all others those of the account.',
        responses: {
          200: jsonResponse('The jobs.', 'JobList', { jobs: [jobExample] }),
          ...API_ERRORS,
          422: errorRef('Invalid'),
        },
      },
      post: {
        operationId: 'startJob',
        tags: ['Jobs'],
        summary: 'Edit or delete all links of a filter',
        description:
          'Works on exactly the links that the filter finds as the job begins. It acts as the key that began it. `change` is for an edit: it sets fields, then replaces, removes and adds hashtags, then replaces the host. The response waits up to 4 seconds for the end of the job. One job of an account runs at a time, and 20 may wait. A job counts as one request.',
        parameters: [idempotencyKey],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemaRef('JobInput'), example: jobInputExample } },
        },
        responses: begun,
      },
    },
    '/api/v1/jobs/import': {
      post: {
        operationId: 'startImport',
        tags: ['Jobs'],
        summary: 'Import a file of links',
        description:
          'Creates the links of a file of at most 64 MiB and 1,000,000 rows: an export of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS, or another file whose columns are known by their names or by `columns`. Slugs and creation times are kept, and what is there is not changed. A row is `unchanged` if it made a link before that is still there, or if its slug leads to its destination on a link that the key sees. A file that is not understood is 422, and creates nothing.',
        parameters: [...queryParameters(ImportQuery), idempotencyKey],
        requestBody: {
          required: true,
          // Generators make one method for one type, and cannot send a file as JSON.
          description: `The file. Its type may also be one of ${IMPORT_CONTENT_TYPES.join(', ')}.`,
          content: { 'application/octet-stream': { schema: BYTES } },
        },
        responses: {
          200: jsonResponse('With `dry_run`: the first 20 rows.', 'ImportAnswer', importPreviewExample),
          202: jsonResponse('The job, which goes on.', 'Job', { ...running, kind: 'import', created: 95, changed: 0 }),
          ...API_ERRORS,
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/jobs/{id}': {
      parameters: [jobId],
      get: {
        operationId: 'getJob',
        tags: ['Jobs'],
        summary: 'Get a job',
        description: 'One job, if the key may see it.',
        responses: {
          200: jsonResponse('The job.', 'Job', jobExample),
          ...API_ERRORS,
          404: errorRef('NoSuchJob'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/jobs/{id}/refused': {
      parameters: [jobId],
      get: {
        operationId: 'listRefused',
        tags: ['Jobs'],
        summary: 'List what a job refused',
        description:
          'The links that were refused so far, the first 10,000, each with its reason: a CSV with the columns `id` (or `row` for an import) and `reason`. A Public Links Only key gets those that it still sees.',
        responses: {
          200: {
            description: 'The refused links, streamed.',
            headers: {
              ...headerRefs(...API_HEADERS),
              'Cache-Control': {
                description: 'It is never cached.',
                schema: { type: 'string' },
                example: 'no-store',
              },
            },
            content: { 'text/csv': { schema: BYTES } },
          },
          ...API_ERRORS,
          404: errorRef('NoSuchJob'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/jobs/{id}/cancel': {
      parameters: [jobId],
      post: {
        operationId: 'cancelJob',
        tags: ['Jobs'],
        summary: 'Cancel a job',
        description: 'Ends the job at once. What it did stays. A job that is over is 422.',
        responses: {
          200: jsonResponse('The job.', 'Job', { ...running, state: 'cancelled', finished_at: jobExample.finished_at }),
          ...API_ERRORS,
          404: errorRef('NoSuchJob'),
          413: errorRef('TooLarge'),
          422: errorRef('Invalid'),
        },
      },
    },
    '/api/v1/jobs/{id}/undo': {
      parameters: [jobId],
      post: {
        operationId: 'undoJob',
        tags: ['Jobs'],
        summary: 'Undo a job',
        description:
          'Begins a job that restores each field that an edit changed and that nobody changed since, or deletes the links that an import created and nobody changed since. It works once, until `undo_until`. A deletion cannot be undone.',
        parameters: [idempotencyKey],
        responses: { ...begun, 404: errorRef('NoSuchJob') },
      },
    },
  };
}
