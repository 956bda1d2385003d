import type { Replicas } from './replicas.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isUnsent } from './upstream-errors.ts';

/** What a replica answers to what it will not read, ending the connection: it says nothing about the replica. */
const REFUSALS = new Set([400, 408, 413, 417, 431]);

/**
 * Asks the replica whose turn it is. One that could not be reached, or that ends its connections since it is about to
 * stop, is left out for a while. Rejects as {@link UpstreamClient.exchange}.
 */
export async function askReplica(
  client: UpstreamClient,
  replicas: Replicas,
  request: Omit<UpstreamRequest, 'origin'>,
): Promise<UpstreamResponse> {
  const origin = replicas.next();
  try {
    const answer = await client.exchange({ ...request, origin });
    if (answer.headers.connection === 'close' && !REFUSALS.has(answer.status)) replicas.leaveOut(origin, 'stopping');
    return answer;
  } catch (error) {
    if (isUnsent(error)) replicas.leaveOut(origin, 'unreachable');
    throw error;
  }
}
