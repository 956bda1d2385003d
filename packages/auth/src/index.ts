export { parseBearer } from './bearer.ts';
export { type Caller, callAuthenticator } from './call-authenticator.ts';
export {
  type AccountIdentity,
  type Identity,
  requireAccount,
  requireService,
  SERVICE_NAMES,
  type ServiceIdentity,
  type ServiceName,
} from './identity.ts';
export { identityPlugin } from './identity-plugin.ts';
export { generateKey, hashKey, parseKey } from './keys.ts';
export { createSigner, createVerifier, type Signer, type SigningKeys, type Verifier } from './token.ts';
