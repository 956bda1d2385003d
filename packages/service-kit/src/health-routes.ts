import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Check, createHealth, type Health } from './health.ts';
import type { ErrorBody } from './http-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that anyone may call. */
    public?: boolean;
    /** True for a route whose finished requests are measured but not logged: there are too many of them. */
    quiet?: boolean;
  }
}

const SHUTTING_DOWN = 'shutting down';

/**
 * Adds, open to anyone: `GET /livez` and `/healthz`, 200 while the process runs, whatever it depends on; `GET /readyz`,
 * 200 with what each check found, or 503 naming the checks that failed and the requirements that are not met; `GET /startupz`, 200 from the first time that
 * all of them passed until the process is about to stop. Gives the health that they show.
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
    return sendNotYet(reply, `Not started: ${health.isStopping ? SHUTTING_DOWN : 'never ready so far'}.`);
  });
  return health;
}

function sendNotYet(reply: FastifyReply, error: string): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', '1')
    .send({ error } satisfies ErrorBody);
}
