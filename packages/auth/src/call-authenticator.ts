import { needOf } from '@waymark/contract';
import { IDENTITY_HEADER } from '@waymark/proto';
import { type Identity, requireNeed } from './identity.ts';
import type { Verifier } from './token.ts';

/** The caller of a gRPC method. */
export interface Caller {
  identity: Identity;
  /** The signed form of `identity`, to forward to other services. */
  token: string;
}

/** The part of the gRPC metadata API that is used here. */
interface ReadableMetadata {
  get(name: string): readonly unknown[];
}

/**
 * Returns a function that authenticates a call of a method of gRPC (`package.Service/Method`) from its metadata. That
 * function rejects with the {@link AppError} `unauthenticated` if the metadata does not hold exactly one valid signed
 * identity, and `forbidden` if the identity may not call the method (`OPERATIONS` in the contract).
 */
export function callAuthenticator(verifier: Verifier): (metadata: ReadableMetadata, method: string) => Promise<Caller> {
  return async (metadata, method) => {
    const values = metadata.get(IDENTITY_HEADER);
    const token = values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
    const identity = await verifier.verify(token);
    requireNeed(identity, needOf(method));
    return { identity, token: token! };
  };
}
