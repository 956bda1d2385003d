import Type, { type Static, type TUnsafe } from 'typebox';
import { nullableTimestamp, text, timestamp } from '../text.ts';

/** How many passkeys an account can have. */
export const PASSKEYS_MAX = 20;
const NAME_MAX_LENGTH = 50;

/**
 * Returns the schema of an object of WebAuthn, as JSON. Browsers write and read all of it
 * (https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON), and later versions of them add fields.
 */
function webAuthnObject(description: string, example: Record<string, unknown>): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    examples: [example],
  });
}

/** The response of `POST /api/v1/me/passkeys/options`. */
export const PasskeyCreationOptions = webAuthnObject(
  'What `PublicKeyCredential.parseCreationOptionsFromJSON` reads: the options for `navigator.credentials.create`.',
  {
    challenge: 'AZrgT46PLH0xpLY',
    rp: { name: 'Waymark', id: 'go.example' },
    user: { id: 'MDE5YTRmMGU4ZjJj', name: 'ada', displayName: 'ada' },
    pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
  },
);
/** The response of `POST /api/v1/sessions/passkey/options`. */
export const PasskeyRequestOptions = webAuthnObject(
  'What `PublicKeyCredential.parseRequestOptionsFromJSON` reads: the options for `navigator.credentials.get`.',
  { challenge: 'AZrgT46PLH0xpLY', rpId: 'go.example', userVerification: 'required' },
);

const clientResponse = (method: string, fields: Record<string, string>) =>
  webAuthnObject(`The credential that \`navigator.credentials.${method}\` returned, as its \`toJSON()\` writes it.`, {
    id: 'rZ3f0b7Wq1s',
    rawId: 'rZ3f0b7Wq1s',
    type: 'public-key',
    response: fields,
    clientExtensionResults: {},
  });

/** The body of `POST /api/v1/me/passkeys`. */
export const AddPasskeyInput = Type.Object(
  {
    name: text(1, NAME_MAX_LENGTH, { description: 'A name to tell it from others.', examples: ['Laptop'] }),
    response: clientResponse('create', { clientDataJSON: 'eyJ0eXBlIjoi', attestationObject: 'o2NmbXRkbm9uZQ' }),
  },
  { additionalProperties: false, description: 'A new passkey.' },
);
export type AddPasskeyInput = Static<typeof AddPasskeyInput>;

/** A passkey of an account, without its public key. */
export const Passkey = Type.Object(
  {
    id: Type.String({ description: 'Identifies the passkey.', examples: ['a'.repeat(64)] }),
    name: Type.String({ description: 'Its name.', examples: ['Laptop'] }),
    created_at: timestamp({ description: 'When it was added.', examples: ['2026-11-01T09:00:00.000Z'] }),
    last_used_at: nullableTimestamp({
      description: 'When it was last used to sign in. Null if it never was.',
      examples: ['2026-11-21T16:40:12.000Z'],
    }),
  },
  { additionalProperties: false, description: 'A passkey, with which its owner signs in.' },
);
export type Passkey = Static<typeof Passkey>;

/** The response of `GET /api/v1/me/passkeys`. */
export const Passkeys = Type.Object(
  { passkeys: Type.Array(Passkey, { maxItems: PASSKEYS_MAX, description: 'The passkeys, oldest first.' }) },
  { additionalProperties: false, description: 'The passkeys of the account.' },
);
export type Passkeys = Static<typeof Passkeys>;

/** The body of `POST /api/v1/sessions/passkey`. */
export const PasskeySignInInput = Type.Object(
  { response: clientResponse('get', { clientDataJSON: 'eyJ0eXBlIjoi', signature: 'MEUCIQ' }) },
  { additionalProperties: false, description: 'A signed challenge, to exchange for a session.' },
);
export type PasskeySignInInput = Static<typeof PasskeySignInInput>;

export const NO_SUCH_PASSKEY_MESSAGE = 'There is no such passkey.';
export const PASSKEY_FORBIDDEN_MESSAGE =
  'You signed in at an OpenID provider; only the session of a sign-in link or of a passkey adds passkeys.';
export const PASSKEYS_FULL_MESSAGE = `An account can have at most ${PASSKEYS_MAX} passkeys; delete one first.`;
export const PASSKEY_REFUSED_MESSAGE =
  '"response" is not a new passkey for this account and site; ask for new options and try again.';
