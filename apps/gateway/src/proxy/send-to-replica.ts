import type { Replicas } from './replicas.ts';
import type { UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isUnsent } from './upstream-errors.ts';

/** Statuses that can close the connection because of the request. They do not mean that the replica is stopping. */
const REFUSALS = new Set([400, 408, 413, 417, 431]);

/**
 * Sends a request to the next replica. Ejects the replica for a while if it cannot be reached, or if it closes the
 * connection because it is about to stop. Rejects when `exchange` does.
 */
export async function sendToReplica(
  exchange: (request: UpstreamRequest) => Promise<UpstreamResponse>,
  replicas: Replicas,
  request: Omit<UpstreamRequest, 'origin'>,
): Promise<UpstreamResponse> {
  const origin = replicas.next();
  try {
    const answer = await exchange({ ...request, origin });
    if (answer.headers.connection === 'close' && !REFUSALS.has(answer.status)) replicas.eject(origin, 'stopping');
    return answer;
  } catch (error) {
    if (isUnsent(error)) replicas.eject(origin, 'unreachable');
    throw error;
  }
}
