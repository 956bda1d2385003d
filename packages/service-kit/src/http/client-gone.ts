import type { FastifyReply } from 'fastify';

/**
 * Returns a signal that aborts if the client leaves before its response is sent. Fastify's `request.signal` depends on the
 * request, which closes when its body has been read.
 */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abortIfUnfinished = () => {
    if (!raw.writableFinished) controller.abort();
  };
  if (raw.closed) abortIfUnfinished();
  else raw.once('close', abortIfUnfinished);
  return controller.signal;
}
