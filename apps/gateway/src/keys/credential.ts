import { hashSecretAsText, isKey, isSessionToken, parseBearer } from '@waymark/auth';
import type { FastifyRequest } from 'fastify';

/** The API key or session token of a request, by the hash under which it is looked up. */
export interface Credential {
  kind: 'key' | 'session';
  /** SHA-256, as 32 Latin-1 characters. Keys and tokens have different prefixes, so no key has the hash of a token. */
  hash: string;
}

/** Returns the credential in a request's `Authorization`. Returns null if it is missing or malformed. */
export function findCredential(request: FastifyRequest): Credential | null {
  const text = parseBearer(request.headers.authorization) ?? '';
  if (isKey(text)) return { kind: 'key', hash: hashSecretAsText(text) };
  return isSessionToken(text) ? { kind: 'session', hash: hashSecretAsText(text) } : null;
}
