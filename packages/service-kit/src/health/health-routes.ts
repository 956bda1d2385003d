import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ErrorBody } from '../http/http-errors.ts';
import { type Check, createHealth, type Health } from './health.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that anyone may call. */
    public?: boolean;
    /** True for a route whose requests are too frequent to log or trace. They are still measured. */
    quiet?: boolean;
  }
}

const SHUTTING_DOWN = 'shutting down';

/**
 * Adds the health routes, which need no identity, and returns the health that they report.
 * - `GET /livez` and `GET /healthz`: 200 while the process runs, whatever the checks find.
 * - `GET /readyz`: 200 with the result of each check, or 503 with the failed checks and the unmet requirements.
 * - `GET /startupz`: 503 until all checks have passed once, then 200 until the process is about to stop.
 */
export function healthRoutes(app: FastifyInstance, checks: Record<string, Check>): Health {
  const health = createHealth(checks, (name, err) => {
    if (err === null) app.log.info({ check: name }, 'ready again');
    else app.log.warn({ check: name, err }, 'not ready');
  });
  health.onStopping(() => app.drainConnections());
  const open = { config: { public: true, quiet: true } };
  for (const path of ['/livez', '/healthz']) app.get(path, open, async () => ({ status: 'live' }));
  app.get('/readyz', open, async (_request, reply) => {
    const { ready, checks: found, unmet } = await health.readiness();
    reply.header('cache-control', 'no-store');
    if (ready) return { status: 'ready', checks: found };
    const failed = Object.keys(found).filter((name) => found[name] === 'failed');
    const reason = `Not ready: ${health.isStopping ? SHUTTING_DOWN : failed.join(', ')}.`;
    return sendNotYet(reply, [reason, ...unmet].join(' '));
  });
  app.get('/startupz', open, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (await health.hasStarted()) return { status: 'started' };
    return sendNotYet(reply, `Not started: ${health.isStopping ? SHUTTING_DOWN : 'not ready yet'}.`);
  });
  return health;
}

function sendNotYet(reply: FastifyReply, error: string): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', '1')
    .send({ error } satisfies ErrorBody);
}
