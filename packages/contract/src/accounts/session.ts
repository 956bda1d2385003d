import Type, { type Static } from 'typebox';
import { text, timestamp } from '../text.ts';

const TOKEN_MAX_LENGTH = 200;

/** The body of `POST /api/v1/sessions`. */
export const CreateSessionInput = Type.Object(
  {
    token: text(1, TOKEN_MAX_LENGTH, {
      writeOnly: true,
      description: 'The token of a sign-in link: what follows `#token=`. It works once, for 15 minutes.',
      examples: [`signin_${'0'.repeat(40)}`],
    }),
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

export const SIGN_IN_REFUSED_MESSAGE =
  'This sign-in link or passkey is unknown, was used already, has expired or is not complete; ask for a new link.';
export const SESSION_REQUIRED_MESSAGE = 'This needs a session of the dashboard; an API key may not do it.';
