import { PLAN_FORBIDDEN_MESSAGE } from '../accounts/account.ts';
import { NO_SUCH_KEY_MESSAGE } from '../accounts/key.ts';
import { NO_SUCH_PASSKEY_MESSAGE } from '../accounts/passkey.ts';
import { NO_SUCH_RESTRICTED_KEY_MESSAGE } from '../accounts/restricted-key.ts';
import {
  NO_SUCH_SESSION_ACCOUNT_MESSAGE,
  SESSION_REQUIRED_MESSAGE,
  SIGN_IN_REFUSED_MESSAGE,
} from '../accounts/session.ts';
import { INTERNAL_MESSAGE, LINK_NOT_FOUND_MESSAGE, UNAUTHENTICATED_MESSAGE, UNAVAILABLE_MESSAGE } from '../errors.ts';
import { HOSTS_FORBIDDEN_MESSAGE, NO_SUCH_HOST_MESSAGE, TOO_MANY_VERIFICATIONS_MESSAGE } from '../hosts/host.ts';
import { JOB_NOT_FOUND_MESSAGE } from '../jobs/job.ts';
import { NO_SUCH_FILTER_MESSAGE } from '../links/saved-filter.ts';
import { NO_SUCH_WEBHOOK_MESSAGE, WEBHOOKS_FORBIDDEN_MESSAGE } from '../webhooks/webhook.ts';
import { type Json, type SchemaName, schemaRef } from './schemas.ts';

/** The `components.headers` of the document. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      'Identifies the request in the service’s logs. It is the id that the client sent, if that was a valid one.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: '0b8f1c52-7f0e-4c07-9a8c-1d7f0c8a2f5e',
  },
  RateLimit: {
    description: 'The remaining requests (`r`), and the seconds until the limit resets (`t`).',
    schema: { type: 'string' },
    example: '"key";r=599;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limit: requests (`q`) in a window of seconds (`w`).',
    schema: { type: 'string' },
    example: '"key";q=600;w=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  'Cache-Control': {
    description: 'A redirect is never cached, so that every click is counted and changes take effect.',
    schema: { type: 'string' },
    example: 'no-store',
  },
  'X-Robots-Tag': {
    description: '`noindex` if the link is unlisted.',
    schema: { type: 'string' },
    example: 'noindex',
  },
};
export type HeaderName = keyof typeof HEADERS;

/** Returns references to headers of {@link HEADERS}. */
export function headerRefs(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of every response below /api/ to a request with a valid key. */
export const API_HEADERS: readonly HeaderName[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

/** The schema of a body that is not JSON. Generated clients parse a plain string as JSON, or decode it, also an image. */
export const BYTES = { type: 'string', format: 'binary' };

/** Returns a response with a JSON body of a named schema. */
export function jsonResponse(description: string, schema: SchemaName, example: unknown, headers: Json = {}): Json {
  return {
    description,
    headers: { ...headerRefs(...API_HEADERS), ...headers },
    content: { 'application/json': { schema: schemaRef(schema), example } },
  };
}

interface ErrorResponse {
  description: string;
  headers: readonly HeaderName[];
  examples: Record<string, string>;
}

/** Every error response of the API operations. The examples are messages that the services send. */
const ERROR_RESPONSES = {
  Unauthorized: {
    description: 'The key is missing, malformed, unknown or revoked.',
    headers: ['X-Request-Id', 'WWW-Authenticate'],
    examples: { invalidKey: UNAUTHENTICATED_MESSAGE },
  },
  SignInRefused: {
    description: 'The token or the passkey is wrong, was used already, or has expired.',
    headers: ['X-Request-Id', 'WWW-Authenticate'],
    examples: { token: SIGN_IN_REFUSED_MESSAGE },
  },
  Forbidden: {
    description: 'The account’s plan or the key’s scope does not allow the request.',
    headers: API_HEADERS,
    examples: {
      plan: PLAN_FORBIDDEN_MESSAGE,
      scope: '"password" needs a Full Access key; this key is Public Links Only.',
      session: SESSION_REQUIRED_MESSAGE,
      hosts: HOSTS_FORBIDDEN_MESSAGE,
      webhooks: WEBHOOKS_FORBIDDEN_MESSAGE,
    },
  },
  NotFound: {
    description: 'There is no such link, or this key may not see it.',
    headers: API_HEADERS,
    examples: { link: LINK_NOT_FOUND_MESSAGE },
  },
  NoSuchJob: {
    description: 'There is no such job, or this key may not see it.',
    headers: API_HEADERS,
    examples: { job: JOB_NOT_FOUND_MESSAGE },
  },
  NoSuchHost: {
    description: 'There is no such host.',
    headers: API_HEADERS,
    examples: { host: NO_SUCH_HOST_MESSAGE },
  },
  NoSuchWebhook: {
    description: 'There is no such webhook.',
    headers: API_HEADERS,
    examples: { webhook: NO_SUCH_WEBHOOK_MESSAGE },
  },
  NoSuchKey: {
    description: 'There is no key of this scope.',
    headers: API_HEADERS,
    examples: { scope: NO_SUCH_KEY_MESSAGE },
  },
  NoSuchRestrictedKey: {
    description: 'There is no such restricted key.',
    headers: API_HEADERS,
    examples: { key: NO_SUCH_RESTRICTED_KEY_MESSAGE },
  },
  NoSuchFilter: {
    description: 'There is no such saved filter.',
    headers: API_HEADERS,
    examples: { filter: NO_SUCH_FILTER_MESSAGE },
  },
  NoSuchPasskey: {
    description: 'There is no such passkey.',
    headers: API_HEADERS,
    examples: { passkey: NO_SUCH_PASSKEY_MESSAGE },
  },
  NoSuchSessionAccount: {
    description: 'The session has no such account.',
    headers: API_HEADERS,
    examples: { account: NO_SUCH_SESSION_ACCOUNT_MESSAGE },
  },
  TooLarge: {
    description: 'The body is over 64 KiB, over 256 KiB for `bulk`, or over 64 MiB for an import.',
    headers: API_HEADERS,
    examples: { body: 'The body is over 64 KiB; send a smaller one.' },
  },
  Invalid: {
    description: 'A value is invalid; the message names the field, the value that was sent and what is allowed.',
    headers: API_HEADERS,
    examples: {
      value: '"per" must be between 1 and 100; you sent 500.',
      required: '"destination_url" is required.',
      unknown:
        '"limit" is not a known field; the known ones are q, hashtag, visibility, domain, archived, host, created_before, created_after, expired, destination_url, last_clicked_before, fields, page, per, sort, dir.',
      readOnly: '"clicks" is read-only and cannot be sent.',
      json: 'The body is not valid JSON; check its quotes, commas and brackets.',
    },
  },
  TooManyRequests: {
    description:
      'The key or session has used up its requests for this minute, the address sent too many requests without a valid one, two exports of the account still run, 20 of its jobs wait, or a host was verified ten times.',
    headers: [...API_HEADERS, 'Retry-After'],
    examples: {
      key: 'This key or session may make 600 requests per minute; try again in 12 seconds.',
      address: 'Too many requests without a valid API key from this address; try again in 12 seconds.',
      jobs: '20 jobs of this account wait already; wait until one has ended.',
      hosts: TOO_MANY_VERIFICATIONS_MESSAGE,
      exports: '2 exports of this account still run; wait until one has ended.',
    },
  },
  Internal: {
    description: 'An internal error.',
    headers: ['X-Request-Id'],
    examples: { internal: INTERNAL_MESSAGE },
  },
  Unavailable: {
    description: 'Part of the service is unavailable or too busy at the moment.',
    headers: ['X-Request-Id', 'Retry-After'],
    examples: { unavailable: UNAVAILABLE_MESSAGE },
  },
} as const satisfies Record<string, ErrorResponse>;
export type ErrorResponseName = keyof typeof ERROR_RESPONSES;

/** The `components.responses` of the document. */
export function errorResponses(): Record<ErrorResponseName, Json> {
  const responses = Object.entries(ERROR_RESPONSES).map(([name, { description, headers, examples }]) => [
    name,
    {
      description,
      headers: headerRefs(...headers),
      content: {
        'application/json': {
          schema: schemaRef('Error'),
          examples: Object.fromEntries(Object.entries(examples).map(([key, error]) => [key, { value: { error } }])),
        },
      },
    },
  ]);
  return Object.fromEntries(responses) as Record<ErrorResponseName, Json>;
}

/** Returns a reference to a named error response. */
export function errorRef(name: ErrorResponseName): { $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

/** The header `Idempotency-Key`. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to repeat: the same key and body within 24 hours return the first response again; the same key with another body is refused.',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** The errors that any request below /api/ can get. */
export const API_ERRORS = {
  401: errorRef('Unauthorized'),
  403: errorRef('Forbidden'),
  429: errorRef('TooManyRequests'),
  500: errorRef('Internal'),
  503: errorRef('Unavailable'),
};
