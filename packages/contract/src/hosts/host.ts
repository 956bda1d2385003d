import Type, { type Static, type TUnsafe } from 'typebox';
import { DESTINATION_MAX_LENGTH } from '../links/destination.ts';
import { DOMAIN_MAX_LENGTH } from '../links/domain.ts';
import { nullableTimestamp, oneOf, text, timestamp } from '../text.ts';

/** How many short hosts an account can have. */
export const HOSTS_MAX = 100;
/** After so many deleted names in 90 days, an account cannot add more. */
export const RELEASED_HOSTS_MAX = 1_000;
/** How often the proof of one host may be asked for in a minute. */
export const VERIFICATIONS_PER_MINUTE = 10;
export const HOST_STATUSES = ['pending', 'verified', 'lost'] as const;
export type HostStatus = (typeof HOST_STATUSES)[number];

/** Returns the schema of a URL that visitors are redirected to, or null. An empty text, if it is sent, means null. */
function nullableUrl(description: string, example: string | null): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: DESTINATION_MAX_LENGTH,
    format: 'optional-destination-url',
    description,
    examples: [example],
  });
}

const TXT_VALUE_EXAMPLE = 'waymark-3fk9x0m2v7q8r1t5w6y4z2b3';
const ROOT = 'Where `/` of the host redirects to. If it is null, `/` is a 404.';
const NOT_FOUND = 'Where everything redirects to that is a 404 otherwise.';
const URL_RULES =
  'It has the rules of `destination_url`, and may not be on the host itself. Null or an empty text empties it.';

/** A short host of an account. */
export const Host = Type.Object(
  {
    id: Type.String({ description: 'Identifies the host.', examples: ['019a4f0e8fp6q4w0x2b7'] }),
    host: Type.String({
      description: 'Its name in lower case; an international name in its ASCII form.',
      examples: ['go.example.com'],
    }),
    status: oneOf(HOST_STATUSES, {
      description:
        '`pending` until its TXT record was found, then `verified`; `lost` once the record was missing for 7 days, or another account has the host. Only a verified host redirects.',
      examples: ['verified'],
    }),
    txt: Type.Object(
      {
        name: Type.String({ description: 'The name of the TXT record.', examples: ['_waymark.go.example.com'] }),
        value: Type.String({
          description: 'The value of the TXT record.',
          examples: [TXT_VALUE_EXAMPLE],
        }),
      },
      {
        additionalProperties: false,
        description: 'The TXT record that proves that the host is the account’s.',
        examples: [{ name: '_waymark.go.example.com', value: TXT_VALUE_EXAMPLE }],
      },
    ),
    root_url: nullableUrl(ROOT, 'https://example.com/'),
    not_found_url: nullableUrl(NOT_FOUND, null),
    checked_at: nullableTimestamp({
      description: 'When DNS last answered whether the TXT record is there. Null before the first answer.',
      examples: ['2026-11-21T16:40:12.000Z'],
    }),
    created_at: timestamp({ description: 'When it was added.', examples: ['2026-11-01T09:00:00.000Z'] }),
    notice: Type.Optional(
      Type.String({
        description: 'Of a request to verify the host: what was found if the TXT record was not. Absent otherwise.',
        examples: [
          'The TXT record at _waymark.go.example.com is "v=spf1 -all", not "waymark-3fk9x0m2v7q8r1t5w6y4z2b3".',
        ],
      }),
    ),
  },
  { additionalProperties: false, description: 'A short host of the account.' },
);
export type Host = Static<typeof Host>;

/** The response of `GET /api/v1/hosts`. */
export const Hosts = Type.Object(
  { hosts: Type.Array(Host, { maxItems: HOSTS_MAX, description: 'The hosts, oldest first.' }) },
  { additionalProperties: false, description: 'The short hosts of the account.' },
);
export type Hosts = Static<typeof Hosts>;

/** The body of `POST /api/v1/hosts`. */
export const AddHostInput = Type.Object(
  {
    host: text(1, DOMAIN_MAX_LENGTH, {
      description: 'A host name with a dot, without scheme and port.',
      examples: ['go.example.com'],
    }),
  },
  { additionalProperties: false, description: 'A new short host.' },
);
export type AddHostInput = Static<typeof AddHostInput>;

/** The body of `PUT /api/v1/hosts/{id}`. */
export const UpdateHostInput = Type.Object(
  {
    root_url: Type.Optional(nullableUrl(`${ROOT} ${URL_RULES}`, 'https://example.com/')),
    not_found_url: Type.Optional(nullableUrl(`${NOT_FOUND} ${URL_RULES}`, 'https://example.com/not-found')),
  },
  { additionalProperties: false, description: 'The fields of a short host to change.' },
);
export type UpdateHostInput = Static<typeof UpdateHostInput>;

export const NO_SUCH_HOST_MESSAGE = 'There is no such host.';
export const HOSTS_FULL_MESSAGE = `An account can have at most ${HOSTS_MAX} hosts; delete one first.`;
export const RELEASED_HOSTS_FULL_MESSAGE = `This account has deleted ${RELEASED_HOSTS_MAX} hosts in the last 90 days; try again when they are fewer.`;
export const HOSTS_FORBIDDEN_MESSAGE =
  'Managing hosts needs a Full Access key; this key is Public Links Only and may read them.';
export const HOST_TAKEN_MESSAGE =
  'Another account has this host, and its TXT record is still there; remove that record first.';
export const HOST_IN_USE_MESSAGE = 'Links use this host; delete them or move them to another host first.';
export const TOO_MANY_VERIFICATIONS_MESSAGE = `A host may be verified ${VERIFICATIONS_PER_MINUTE} times a minute; try again later.`;
