import { IDENTITY_HEADER } from '@waymark/proto';
import type { Identity } from './identity.ts';
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
 * Returns a function that authenticates a gRPC call from its metadata. That function rejects with the {@link AppError}
 * `unauthenticated` if the metadata does not hold exactly one valid signed identity.
 */
export function callAuthenticator(verifier: Verifier): (metadata: ReadableMetadata) => Promise<Caller> {
  return async (metadata) => {
    const values = metadata.get(IDENTITY_HEADER);
    const token = values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
    return { identity: await verifier.verify(token), token: token! };
  };
}
