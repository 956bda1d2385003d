import { apiPaths } from './api-paths.ts';
import { redirectPaths } from './redirect-paths.ts';
import { errorResponses, HEADERS } from './responses.ts';
import { namedSchemas } from './schemas.ts';

/** An OpenAPI document, as JSON. */
export type OpenApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, unknown>> };

const DESCRIPTION = `Manages short links and reports their clicks.

Send your API key with every request below \`/api/\`: \`Authorization: Bearer <API_KEY>\`. A \`key_live_\` key sees every
link of the account; a \`key_pub_\` key sees public and unlisted links only, and all others do not exist for it.

\`HEAD\` works wherever \`GET\` does. Every error is \`{"error": "<message>"}\`. An agent can use the same functions
through the MCP server at \`/mcp\`, with the same key.

What cannot be read as an HTTP request is answered 400, what takes too long to arrive 408, and headers that are too
large 431: with the body of every error and \`Connection: close\`, also where a \`HEAD\` was meant.`;

/**
 * Returns the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1) of the REST API and the redirects, built from
 * the schemas that the services validate with. `publicUrl` is the base URL that clients use; trailing slashes are
 * removed.
 */
export function openApiDocument(publicUrl: string): OpenApiDocument {
  const server = publicUrl.replace(/\/+$/, '');
  return {
    openapi: '3.1.1',
    info: {
      title: 'Waymark',
      version: '1.0.0',
      summary: 'Link management: short links and their analytics',
      description: DESCRIPTION,
      // The contact is whoever runs this installation.
      contact: { name: 'The operator of this service', url: server },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'This service' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'Account', description: 'The account behind the key.' },
      { name: 'Links', description: 'Create, find, change and delete short links.' },
      { name: 'Analytics', description: 'What happened to the links.' },
      { name: 'Redirects', description: 'The short URLs themselves, open to everyone.' },
    ],
    paths: { ...apiPaths(server), ...redirectPaths(server) } as OpenApiDocument['paths'],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `key_live_…` (Full Access) or `key_pub_…` (Public Links Only).',
        },
      },
      schemas: namedSchemas(),
      headers: HEADERS,
      responses: errorResponses(),
    },
  };
}
