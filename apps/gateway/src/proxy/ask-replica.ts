import type { Replicas } from './replicas.ts';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts';
import { isUnsent } from './upstream-errors.ts';

/**
 * Asks the replica whose turn it is. One that could not be reached, or that ends its connections since it is about to
 * stop, is spared for a moment: a connection opened now could be closed under the next request. Rejects as
 * {@link UpstreamClient.exchange}.
 */
export async function askReplica(
  client: UpstreamClient,
  replicas: Replicas,
  request: Omit<UpstreamRequest, 'origin'>,
): Promise<UpstreamResponse> {
  const origin = replicas.next();
  try {
    const answer = await client.exchange({ ...request, origin });
    if (answer.headers.connection === 'close') replicas.leaveOut(origin);
    return answer;
  } catch (error) {
    if (isUnsent(error)) replicas.leaveOut(origin);
    throw error;
  }
}
