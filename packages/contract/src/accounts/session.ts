import Type, { type Static } from 'typebox';
import { oneOf, text, timestamp } from '../text.ts';
import { ROLES } from './action.ts';
import { USERNAME_MAX_LENGTH } from './username.ts';

const TOKEN_MAX_LENGTH = 200;

/** The body of `POST /api/v1/sessions`. */
export const CreateSessionInput = Type.Object(
  {
    token: text(1, TOKEN_MAX_LENGTH, {
      writeOnly: true,
      description: 'The token of a sign-in link: what follows `#token=`. It works once, for 15 minutes.',
      examples: [`signin_${'0'.repeat(40)}`],
    }),
    verifier: Type.Optional(
      text(1, 128, {
        writeOnly: true,
        description:
          'What the sign-in was begun with, if an OpenID provider is used: `challenge` is its SHA-256, as base64url. The token of a link needs none.',
        examples: ['dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
      }),
    ),
  },
  { additionalProperties: false, description: 'A sign-in token, to exchange for a session.' },
);
export type CreateSessionInput = Static<typeof CreateSessionInput>;

/** The response of `POST /api/v1/sessions` and `POST /api/v1/sessions/passkey`. */
export const Session = Type.Object(
  {
    token: Type.String({
      description: 'The Bearer token of the session. It is shown only here.',
      examples: [`sess_${'0'.repeat(40)}`],
    }),
    expires_at: timestamp({
      description:
        'When the session ends if it is not used: 12 hours after it began. Each use moves the end to 12 hours later, and to at most 7 days after the beginning.',
      examples: ['2026-11-21T21:00:00.000Z'],
    }),
  },
  { additionalProperties: false, description: 'A session of the dashboard.' },
);
export type Session = Static<typeof Session>;

/** An account that a session can switch to. */
export const SessionAccount = Type.Object(
  {
    username: Type.String({ description: 'The account’s user name.', examples: ['acme'] }),
    role: oneOf(ROLES, { description: 'The role of the session in this account.', examples: ['editor'] }),
    current: Type.Boolean({ description: 'Whether the session is of this account.', examples: [true] }),
  },
  { additionalProperties: false, description: 'An account of a session.' },
);

/** The response of `GET /api/v1/me/accounts`. */
export const SessionAccounts = Type.Object(
  {
    accounts: Type.Array(SessionAccount, {
      description: 'What its person may use, or the one account of a session that a sign-in link or a passkey began.',
    }),
  },
  { additionalProperties: false, description: 'The accounts that a session can switch to.' },
);
export type SessionAccounts = Static<typeof SessionAccounts>;

/** The body of `POST /api/v1/sessions/switch`. */
export const SwitchSessionInput = Type.Object(
  {
    username: text(1, USERNAME_MAX_LENGTH, {
      description: 'One of the accounts of `GET /api/v1/me/accounts`.',
      examples: ['acme'],
    }),
  },
  { additionalProperties: false, description: 'The account to switch to.' },
);
export type SwitchSessionInput = Static<typeof SwitchSessionInput>;

export const NO_SUCH_SESSION_ACCOUNT_MESSAGE =
  'This session has no such account; GET /api/v1/me/accounts lists those it has.';
export const SIGN_IN_REFUSED_MESSAGE =
  'This sign-in link or passkey is unknown, was used already, has expired or is not complete; ask for a new link.';
export const SESSION_REQUIRED_MESSAGE = 'This needs a session of the dashboard; an API key may not do it.';
