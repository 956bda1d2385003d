export { parseBearer } from './bearer.ts';
export { type Caller, callAuthenticator } from './call-authenticator.ts';
export {
  type AccountIdentity,
  type Identity,
  type KeyRestriction,
  mayDo,
  type Person,
  requireAccount,
  requireNeed,
  requireService,
  requireSession,
  SERVICE_NAMES,
  type ServiceIdentity,
  type ServiceName,
  type SessionIdentity,
} from './identity.ts';
export { identityPlugin } from './identity-plugin.ts';
export { generateKey, isKey, type KeyKind } from './keys.ts';
export { hashSecret, hashSecretAsText } from './secret.ts';
export { generateSessionToken, generateSignInToken, isSessionToken, isSignInToken } from './session-tokens.ts';
export { createSigner, createVerifier, type Signer, type SigningKeys, type Verifier } from './token.ts';
