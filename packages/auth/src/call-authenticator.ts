import { IDENTITY_HEADER } from '@waymark/proto';
import type { Identity } from './identity.ts';
import type { Verifier } from './token.ts';

/** Who calls over gRPC. */
export interface Caller {
  identity: Identity;
  /** The signed form of `identity`, to pass on to a sister. */
  token: string;
}

/** The part of gRPC metadata that is read here. */
interface ReadableMetadata {
  get(name: string): readonly unknown[];
}

/**
 * What a gRPC server calls with a call's metadata to know its caller.
 * @throws {AppError} `unauthenticated` (from what it returns) where the metadata has no valid signed identity.
 */
export function callAuthenticator(verifier: Verifier): (metadata: ReadableMetadata) => Promise<Caller> {
  return async (metadata) => {
    const values = metadata.get(IDENTITY_HEADER);
    const token = values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
    return { identity: await verifier.verify(token), token: token! };
  };
}
