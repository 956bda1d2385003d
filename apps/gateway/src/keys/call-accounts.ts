import type { Signer } from '@waymark/auth';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { accountsV1, CallOptions, GrpcClient } from '@waymark/proto';

/** The gateway's client of accounts, keys and sessions. */
export type Accounts = GrpcClient<typeof accountsV1.AccountsService>;

/**
 * Calls links-svc with the gateway's own identity. Returns null if the call finds nothing.
 * @throws {AppError} `unavailable` if the call fails or the response is invalid: such an error says nothing about the
 * client.
 */
export async function callAccounts<Found>(
  signer: Signer,
  options: { timeoutMs: number; requestId: string },
  call: (options: CallOptions) => Promise<Found>,
): Promise<Found | null> {
  const identity = await signer.mint({ kind: 'service', service: 'gateway' });
  try {
    return await call({ ...options, identity });
  } catch (cause) {
    if (cause instanceof AppError && cause.code === 'not_found') return null;
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
  }
}
