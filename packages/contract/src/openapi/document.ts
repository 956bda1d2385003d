import { accountPaths } from './account-paths.ts';
import { apiPaths } from './api-paths.ts';
import { hostPaths } from './host-paths.ts';
import { jobPaths } from './job-paths.ts';
import { redirectPaths } from './redirect-paths.ts';
import { errorResponses, HEADERS } from './responses.ts';
import { type Json, namedSchemas } from './schemas.ts';
import { webhookBodies, webhookPaths } from './webhook-paths.ts';

/** An OpenAPI document, as JSON. */
export type OpenApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, unknown>> };

const DESCRIPTION = `Manages short links and reports their clicks.

Send your API key with every request below \`/api/\`: \`Authorization: Bearer <API_KEY>\`. A \`key_live_\` key sees every
link of the account; a \`key_pub_\` key sees public and unlisted links only, and all others do not exist for it. A
session of the dashboard is such a token, too. It acts as a \`key_live_\` key, and only it may manage keys.

\`HEAD\` works wherever \`GET\` does. Every error is \`{"error": "<message>"}\`. An agent can use the same functions
through the MCP server at \`/mcp\`, with the same key.

A request that is not valid HTTP gets 400, one that takes too long to arrive 408, one with an \`Expect\` other than
\`100-continue\` 417, and one whose headers are too large 431. These responses close the connection, and have the body of an error even if the request was a \`HEAD\`.`;

/**
 * Returns the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1) of the REST API and the redirects, built from
 * the schemas that the services validate with. `apiUrl` is the base URL of the API, `publicUrl` that of short URLs;
 * trailing slashes are removed. A server on this machine is relative to the address of the document: that works for
 * every reader.
 */
export function openApiDocument(apiUrl: string, publicUrl = apiUrl): OpenApiDocument {
  const [server, shortServer] = [apiUrl, publicUrl].map((url) => url.replace(/\/+$/, '')) as [string, string];
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
    servers: [serverAt(server, 'This service')],
    security: [{ bearer: [] }],
    tags: [
      { name: 'Account', description: 'The account that the key belongs to, and its keys.' },
      { name: 'Sessions', description: 'Sign in to the dashboard and out of it.' },
      { name: 'Links', description: 'Create, find, change and delete short links.' },
      { name: 'Jobs', description: 'Work on many links that runs on the server.' },
      { name: 'Hosts', description: 'The short hosts of the account, beside the default one.' },
      { name: 'Events', description: 'What happened in the account.' },
      { name: 'Webhooks', description: 'Where events of the account are sent.' },
      { name: 'Webhook requests', description: 'What the server of a webhook gets.' },
      { name: 'Analytics', description: 'The clicks on the links.' },
      { name: 'Redirects', description: 'The short URLs themselves, open to everyone.' },
    ],
    paths: {
      ...accountPaths(),
      ...apiPaths(server, shortServer),
      ...jobPaths(),
      ...hostPaths(),
      ...webhookPaths(),
      ...redirectPaths(shortServer === server ? [] : [serverAt(shortServer, 'The short URLs')]),
    } as OpenApiDocument['paths'],
    webhooks: webhookBodies(),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key: `key_live_…` (Full Access) or `key_pub_…` (Public Links Only). Or the token of a session: `sess_…`.',
        },
      },
      schemas: namedSchemas(),
      headers: HEADERS,
      responses: errorResponses(),
    },
  };
}

function serverAt(url: string, description: string): Json {
  return { url: isLoopback(url) ? '/' : url, description };
}

/** Returns true if a URL names the machine of whoever reads it. */
function isLoopback(url: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
